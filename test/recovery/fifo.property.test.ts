import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fifo } from '../../src/recovery/fifo.js';

it('holds, in their order, the elements that were added and not removed, whatever is added and removed', () => {
  const elements = Array.from({ length: 6 }, (_, number) => ({ number }));
  const step = fc.record({ add: fc.boolean(), element: fc.constantFrom(...elements) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const fifo = new Fifo<object>();
      const expected: object[] = [];
      for (const { add, element } of steps) {
        const at = expected.indexOf(element);
        if (add) {
          fifo.add(element);
          if (at < 0) expected.push(element);
        } else {
          expect(fifo.delete(element)).toBe(at >= 0);
          if (at >= 0) expected.splice(at, 1);
        }
        expect([fifo.size, fifo.first, fifo.has(element)]).toEqual([expected.length, expected[0], add]);
      }
      for (const element of expected) {
        expect(fifo.first).toBe(element);
        fifo.delete(element);
      }
      expect([fifo.size, fifo.first]).toEqual([0, undefined]);
    }),
    { numRuns: 500 },
  );
});
