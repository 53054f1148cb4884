import { expect, it } from 'vitest';
import { node, unmetDemands } from '../../../src/cli/doctor/node.js';
import { manifest, tree } from '../../support/tree.js';

const { node: version } = process.versions;

/** A server that asks for some Node.js. */
function serverThatNeeds(range: string) {
  const folder = tree({ 'package.json': { ...manifest('@paperclipai/server'), engines: { node: range } } });
  return {
    package: { name: '@paperclipai/server', version: '2026.916.1', folder },
    layout: 'npm',
    runtime: undefined,
    foundBy: '',
  } as const;
}

function check(server?: ReturnType<typeof serverThatNeeds>) {
  return node.run({ env: {}, preload: 'start', folder: '/', server });
}

it('a supported one is right, and where its hooks run is said', async () => {
  expect(await check()).toEqual([
    {
      mark: 'ok',
      found: expect.stringMatching(
        `^${version}: its loader hooks run in (the server's thread|a thread of their own, and in the server's from 22\\.22\\.3, 24\\.11\\.1, 25\\.1 and 26 on)$`,
      ),
    },
  ]);
});

it('one that Paperclip does not ask for is worth knowing', async () => {
  expect(await check(serverThatNeeds('>=99.1.0'))).toMatchObject([
    { mark: 'ok' },
    { mark: 'note', found: '@paperclipai/server 2026.916.1 asks for Node.js >=99.1.0' },
  ]);
  expect(await check(serverThatNeeds('>=20.19'))).toMatchObject([{ mark: 'ok' }]);
});

it.each([
  ['20.18.3', ['>=20.19']],
  ['18.20.8', ['>=20.19']],
  ['20.19.0', []],
])("of %s this package's and OpenTelemetry's demands that are not met are %j", (older, ranges) => {
  expect(unmetDemands({ preload: 'start' }, older).map(({ range }) => range)).toEqual(ranges);
});
