/**
 * Elements in the order in which they were added; any of them can be removed. Each step takes the same time however many
 * there are. A `Set` iterates over the places of removed elements until it is made anew, so finding its first
 * element takes longer the more are removed.
 */
export class Fifo<T extends object> {
  readonly #nodes = new Map<T, Node<T>>();
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;

  get size(): number {
    return this.#nodes.size;
  }

  /** The element that was added first. */
  get first(): T | undefined {
    return this.#first?.element;
  }

  has(element: T): boolean {
    return this.#nodes.has(element);
  }

  /** Adds an element at the end; one that is there keeps its place. */
  add(element: T): void {
    if (this.#nodes.has(element)) return;
    const node: Node<T> = { element, before: this.#last, after: undefined };
    this.#nodes.set(element, node);
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
  }

  /** @returns whether it was there */
  delete(element: T): boolean {
    const node = this.#nodes.get(element);
    if (node === undefined) return false;
    this.#nodes.delete(element);
    if (node.before === undefined) this.#first = node.after;
    else node.before.after = node.after;
    if (node.after === undefined) this.#last = node.before;
    else node.after.before = node.before;
    return true;
  }
}

interface Node<T> {
  readonly element: T;
  before: Node<T> | undefined;
  after: Node<T> | undefined;
}
