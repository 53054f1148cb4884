/**
 * Tells whether a regular expression can take for ever. A backtracking matcher tries all ways in which a pattern can go through
 * a text before it gives up. Where a repetition can go through one text in two ways and be where it was, each
 * time round doubles them. The ways are those of the pattern's position automaton (Glushkov); two ways are found in its square
 * (Weber and Seidl, "On the degree of ambiguity of finite automata", 1991: criterion EDA).
 */

/** A larger search ends; patterns of error messages need a few hundred steps. */
const MAX_STEPS = 2_000_000;
/** So many repetitions of a character side by side take a cubic time. */
const MAX_NEIGHBOURS = 2;
/** An exact number of characters, such as `[0-9a-f]{8}`, is written out up to here. */
const MAX_COPIES = 50;

/** Positions with the number of ways that lead there: 1, or 2 for more. */
type Ways = Map<number, number>;

/** A part of a pattern. */
interface Part {
  readonly first: Ways;
  readonly last: Ways;
  /** Ways to match the empty text. */
  readonly empty: number;
  /** The text of the part, where it is a single character. */
  readonly single?: string | undefined;
}

const NOTHING: Part = { first: new Map(), last: new Map(), empty: 1 };
/** One unit of a pattern that is no group. */
const TOKEN =
  /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|c[a-zA-Z]|k<[^>]*>|[1-9]\d*|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<[^>]*>|[ims-]*:)|./sy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;

/**
 * @param source a valid regular expression without flags
 * @returns what is wrong with it, as a sentence whose subject is the pattern; `undefined` where it cannot explode. Back-references count as any
 *   text, and `{n,m}` after a group as `+`, so a pattern can be refused that would be fast
 */
export function explosionOf(source: string): string | undefined {
  const automaton = new Parser(source).automaton;
  if (automaton.repeatsInTwoWays())
    return 'repeats something that matches one text in two ways, as (a+)+ does';
  if (automaton.hasNeighbours())
    return 'has three repetitions side by side that match the same characters, as a*a*a* does';
  return undefined;
}

class Automaton {
  /** A position's successors. */
  readonly next: Ways[] = [];
  readonly #characters: ReadonlySet<number>[] = [];
  readonly #alphabet: readonly number[];
  readonly #flags: string;
  readonly #known = new Map<string, ReadonlySet<number>>();

  constructor(source: string) {
    this.#alphabet = alphabetOf(source);
    // Newer versions of Node.js have groups such as (?i:a).
    this.#flags = /\(\?[ms-]*i/.test(source) ? 'is' : '';
  }

  /** Adds a position that matches one character. */
  add(text: string): number {
    let characters = this.#known.get(text);
    if (characters === undefined) {
      const pattern = new RegExp(`^(?:${text})$`, this.#flags);
      characters = new Set(this.#alphabet.filter((code) => pattern.test(String.fromCharCode(code))));
      this.#known.set(text, characters);
    }
    this.#characters.push(characters);
    return this.next.push(new Map()) - 1;
  }

  connect(from: Ways, to: Ways, times = 1): void {
    for (const [left, ways] of from)
      for (const [right, more] of to) count(this.next[left] as Ways, right, ways * more * times);
  }

  repeatsInTwoWays(): boolean {
    let steps = MAX_STEPS;
    for (let start = 0; start < this.next.length; start += 1) {
      const seen = new Set<number>();
      const queue = this.#fork(start);
      for (let pair = queue.pop(); pair !== undefined; pair = queue.pop()) {
        const [left, right] = pair;
        if (left === start && right === start) return true;
        const key = left * this.next.length + right;
        if (seen.has(key)) continue;
        seen.add(key);
        for (const a of (this.next[left] as Ways).keys())
          for (const b of (this.next[right] as Ways).keys()) {
            steps -= 1;
            if (steps < 0) return true;
            if (this.#meet(a, b)) queue.push([a, b]);
          }
      }
    }
    return false;
  }

  /** Three repetitions that can follow each other without a character between them, and have one in common. */
  hasNeighbours(): boolean {
    const chain = (position: number, common: ReadonlySet<number>, length: number): boolean =>
      length > MAX_NEIGHBOURS ||
      [...(this.next[position] as Ways).keys()].some((right) => {
        if (right <= position || !this.next[right]?.has(right)) return false;
        const both = new Set([...common].filter((code) => this.#characters[right]?.has(code)));
        return both.size > 0 && chain(right, both, length + 1);
      });
    return this.next.some(
      (next, position) =>
        next.has(position) && chain(position, this.#characters[position] as ReadonlySet<number>, 1),
    );
  }

  /** Pairs of positions that one text leads to from one position in two ways. */
  #fork(start: number): [number, number][] {
    const pairs: [number, number][] = [];
    const next = [...(this.next[start] as Ways)];
    for (const [a, ways] of next)
      for (const [b] of next) if (a === b ? ways > 1 : a < b && this.#meet(a, b)) pairs.push([a, b]);
    return pairs;
  }

  /** Whether a character matches at both positions. */
  #meet(a: number, b: number): boolean {
    const [left, right] = [this.#characters[a], this.#characters[b]];
    if (left === undefined || right === undefined) return false;
    if (left === right) return left.size > 0;
    for (const code of left) if (right.has(code)) return true;
    return false;
  }
}

class Parser {
  readonly automaton: Automaton;
  #at = 0;

  constructor(private readonly source: string) {
    this.automaton = new Automaton(source);
    this.#choice();
  }

  #choice(): Part {
    let all = this.#sequence();
    while (this.source[this.#at] === '|') {
      this.#at += 1;
      const other = this.#sequence();
      all = {
        first: union(all.first, other.first),
        last: union(all.last, other.last),
        empty: atMost(all.empty + other.empty),
      };
    }
    return all;
  }

  #sequence(): Part {
    let all = NOTHING;
    while (this.#at < this.source.length && !'|)'.includes(this.source[this.#at] as string))
      all = this.#join(all, this.#repeated(this.#unit()));
    return all;
  }

  #join(left: Part, right: Part): Part {
    this.automaton.connect(left.last, right.first);
    return {
      first: union(left.first, right.first, left.empty),
      last: union(right.last, left.last, right.empty),
      empty: atMost(left.empty * right.empty),
    };
  }

  #unit(): Part {
    const token = this.#take(TOKEN)?.[0] ?? '';
    if (token[0] === '(') {
      const inner = this.#choice();
      this.#at += 1;
      // What is looked at is not gone through: it is matched by itself, once at each place.
      return /^\(\?<?[=!]/.test(token) ? NOTHING : inner;
    }
    if (/^(?:\^|\$|\\b)$/i.test(token)) return NOTHING;
    if (/^\\(?:k<|[1-9])/.test(token)) return this.#loop({ ...this.#character('[^]'), empty: 1 });
    return this.#character(token);
  }

  #character(single: string): Part {
    const ways = new Map([[this.automaton.add(single), 1]]);
    return { first: ways, last: ways, empty: 0, single };
  }

  #repeated(part: Part): Part {
    const found = this.#take(QUANTIFIER);
    if (found === undefined) return part;
    const [text, least, comma, most] = found;
    if (text[0] === '?' || (least !== undefined && Number(most || least) <= 1 && !(comma && !most)))
      return text[0] === '?' || Number(least) === 0 ? { ...part, empty: 1, single: undefined } : part;
    if (part.single !== undefined && least !== undefined && comma === '') {
      let all = part;
      for (let copy = 1; copy < Math.min(Number(least), MAX_COPIES); copy += 1)
        all = this.#join(all, this.#character(part.single));
      return all;
    }
    // A round that must be made may match nothing, so there is a choice of which rounds do.
    const times = part.empty > 0 && Number(least) > 1 ? 2 : 1;
    return this.#loop(part, times, text[0] === '*' || Number(least) === 0 ? 1 : part.empty);
  }

  #loop({ first, last, empty }: Part, times = 1, emptyAfter = empty): Part {
    this.automaton.connect(last, first, times);
    return { first, last, empty: emptyAfter };
  }

  #take(what: RegExp): RegExpExecArray | undefined {
    what.lastIndex = this.#at;
    const found = what.exec(this.source);
    if (found !== null) this.#at = what.lastIndex;
    return found ?? undefined;
  }
}

function count(ways: Ways, position: number, more: number): void {
  if (more > 0) ways.set(position, atMost((ways.get(position) ?? 0) + more));
}

function union(one: Ways, other: Ways, times = 1): Ways {
  const all = new Map(one);
  for (const [position, ways] of other) count(all, position, ways * times);
  return all;
}

function atMost(ways: number): number {
  return Math.min(ways, 2);
}

/** Characters of which one at least stands for every set of characters that the pattern can tell apart. */
function alphabetOf(source: string): number[] {
  const codes = new Set<number>();
  const add = (code: number) => {
    for (const near of [code - 1, code, code + 1]) if (near >= 0 && near <= 0xffff) codes.add(near);
  };
  for (let code = 0; code < 256; code += 1) codes.add(code);
  // The other members of \s, and a letter without any meaning.
  for (const code of [0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff, 0x4e00])
    add(code);
  for (let at = 0; at < source.length; at += 1) add(source.charCodeAt(at));
  for (const [, digits] of source.matchAll(/\\u([\da-f]{4})/gi)) add(Number.parseInt(digits as string, 16));
  return [...codes];
}
