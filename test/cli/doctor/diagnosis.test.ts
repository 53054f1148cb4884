import { expect, it } from 'vitest';
import { type Check, ok } from '../../../src/cli/doctor/check.js';
import { diagnose } from '../../../src/cli/doctor/diagnosis.js';
import { paperclip } from '../../../src/cli/doctor/paperclip.js';
import { tree } from '../../support/tree.js';

const REMEDY = 'report this, with the text above';

async function diagnosed(env: NodeJS.ProcessEnv, checks: readonly Check[]) {
  const all = [];
  const folder = tree({});
  for await (const { check, finding } of diagnose({ env, folder, preload: 'register' }, checks))
    all.push({ check: check.id, ...finding });
  return all;
}

const fine: Check = { id: 'fine', title: 'Fine', run: ({ server }) => [ok(`server: ${server}`)] };

it('a check that fails is a problem to report, and the others are made', async () => {
  const failing: Check = {
    id: 'failing',
    title: 'Failing',
    run() {
      throw new Error('no luck');
    },
  };
  const [first, ...others] = await diagnosed({}, [failing, fine]);
  expect(first).toEqual({
    check: 'failing',
    mark: 'problem',
    found: expect.stringMatching(/^the check itself failed: Error: no luck\n {4}at /),
    remedy: REMEDY,
  });
  expect(others).toEqual([{ check: 'fine', mark: 'ok', found: 'server: undefined' }]);
});

it('a search for Paperclip that fails is a problem to report, and the other checks are made', async () => {
  // Only who looks for it sees it.
  const env = Object.defineProperty({}, 'PATH', {
    get() {
      throw new Error('no luck');
    },
  });
  expect(await diagnosed(env, [paperclip, fine])).toEqual([
    {
      check: 'paperclip',
      mark: 'problem',
      found: expect.stringMatching(/^the search for Paperclip failed: Error: no luck\n {4}at /),
      remedy: REMEDY,
    },
    { check: 'fine', mark: 'ok', found: 'server: undefined' },
  ]);
});
