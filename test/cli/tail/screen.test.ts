import { describe, expect, it } from 'vitest';
import { Screen } from '../../../src/cli/tail/screen.js';
import { isScreen, paintFor } from '../../../src/cli/tail/style.js';
import { Written } from './written.js';

/** @param columns none for what is no terminal */
function screenOn(columns?: number, env: NodeJS.ProcessEnv = { NO_COLOR: '1' }) {
  const output = new Written(columns !== undefined, columns);
  const screen = new Screen(output.asOutput, env);
  return { output, screen };
}

const CLEAR = '\r\u001B[J';
const UP = '\u001B[A';

describe('on a terminal the header', () => {
  it('stays the last line, below what is printed', () => {
    const { output, screen } = screenOn(20);
    screen.print([], ['header 1']);
    screen.print(['a', 'b'], ['header 2']);
    expect(output.text).toBe(`${CLEAR}header 1${CLEAR}a\nb\nheader 2`);
  });

  it('is cut so that it never wraps', () => {
    const { output, screen } = screenOn(10);
    screen.print(['a line that is longer'], ['0123456789']);
    expect(output.text).toBe(`${CLEAR}a line that is longer\n01234567…`);
  });

  it('is drawn again for another width', () => {
    const { output, screen } = screenOn(10);
    screen.print([], ['0123456789']);
    output.columns = 6;
    output.emit('resize');
    expect(output.text).toBe(`${CLEAR}01234567…\r${UP}\u001B[J0123…`);
  });

  it('leaves nothing behind of the lines that it takes on a narrower one, whatever comes first', () => {
    const { output, screen } = screenOn(40);
    screen.print([], ['h'.repeat(30)]);
    output.columns = 10;
    screen.print(['a'], ['short']);
    output.emit('resize');
    expect(output.text).toBe(`${CLEAR}${'h'.repeat(30)}\r${UP}${UP}\u001B[Ja\nshort${CLEAR}short`);
  });

  it.each([
    [12, 'in full 111'],
    [11, 'short 11'],
    [9, 'short 11'],
    [8, 'tiny'],
    [4, 'ti…'],
  ])('is the longest form that there is room for: %d columns', (columns, form) => {
    const { output, screen } = screenOn(columns);
    screen.print([], ['in full 111', 'short 11', 'tiny']);
    expect(output.text).toBe(CLEAR + form);
  });

  it('is 80 wide where the terminal does not say', () => {
    const { output, screen } = screenOn(0);
    screen.print([], ['h'.repeat(100)]);
    expect(output.text).toBe(`${CLEAR}${'h'.repeat(78)}…`);
  });

  it('makes way for what others print', () => {
    const { output, screen } = screenOn(20);
    screen.print([], ['header']);
    screen.interrupt(() => output.write('notice\n'));
    expect(output.text).toBe(`${CLEAR}header${CLEAR}notice\n${CLEAR}header`);
  });

  it('is there once more at the end, with the cursor below it, and not drawn any more', () => {
    const { output, screen } = screenOn(20);
    screen.print([], ['header']);
    screen.end();
    output.emit('resize');
    expect(output.text).toBe(`${CLEAR}header${CLEAR}header\n`);
  });
});

describe('elsewhere the header', () => {
  it.each([
    ['a file', screenOn()],
    ['a terminal that cannot move its cursor', screenOn(20, { TERM: 'dumb' })],
  ])('is a line where it has changed: %s', (_, { output, screen }) => {
    screen.print(['a'], ['header 1']);
    screen.printHeader();
    screen.print([], ['header 1']);
    screen.printHeader();
    screen.print(['b'], ['a header that is longer than 20']);
    screen.printHeader();
    screen.interrupt(() => output.write('notice\n'));
    screen.end();
    expect(output.text).toBe('a\nheader 1\nb\na header that is longer than 20\nnotice\n');
  });

  it('is a line at the end where it has changed, in full', () => {
    const { output, screen } = screenOn();
    screen.print(['a'], ['a header that is longer than 20', 'short']);
    screen.end();
    expect(output.text).toBe('a\na header that is longer than 20\n');
  });
});

describe('colours', () => {
  it.each([
    ['a terminal', true, {}, true],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
    ['a file', false, {}, false],
    ['a file with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR against NO_COLOR', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['a terminal with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
    ['a terminal with FORCE_COLOR=false', true, { FORCE_COLOR: 'false' }, false],
  ])('%s', (_, isTTY, env, isColoured) => {
    const paint = paintFor({ isTTY }, env);
    expect(paint('text', 'green')).toBe(isColoured ? '\u001B[32mtext\u001B[0m' : 'text');
  });

  it('do not make a screen of a file', () => {
    expect(isScreen({ isTTY: false }, { FORCE_COLOR: '1' })).toBe(false);
  });
});
