import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { HostModule } from '../../src/attach/interceptor.js';
import { patcher } from '../../src/attach/patches.js';
import { defaultSettings, type Settings } from '../../src/config.js';
import { Instrumenter } from '../../src/instrument/instrumenter.js';
import { manifest, tree } from '../support/tree.js';

const root = tree({
  'server/package.json': manifest('@paperclipai/server'),
  'old/package.json': manifest('@paperclipai/server', '2026.416.0'),
  'fork/package.json': manifest('@acme/server'),
  'utils/package.json': manifest('@paperclipai/adapter-utils'),
  'fork-utils/package.json': manifest('@acme/adapter-utils'),
  'other/package.json': manifest('duplex'),
});

/** Patches a module as if the loader had intercepted it, and tells what came of it. */
function patch(
  file: string,
  packages: readonly string[],
  module: HostModule,
  options: Partial<Settings> = {},
) {
  const settings = { ...defaultSettings({}), packages, ...options };
  const told: string[] = [];
  const tell =
    (what: string) =>
    ({ package: { name, version } }: { package: { name: string; version: string | undefined } }) =>
      void told.push(`${what} ${name} ${version}`);
  const listener = {
    onPatched: tell('patched'),
    onStranger: tell('stranger'),
    onUnsupported: tell('unsupported'),
  };
  const instance = { isEnabled: () => false, open: () => undefined };
  const before = { ...module };
  patcher(
    () => settings,
    new Instrumenter(instance, () => {}),
    listener,
  )(pathToFileURL(join(root, file)).href, module);
  const replaced = Object.keys(module).filter((name) => module[name] !== before[name]);
  return { told, replaced };
}

const factory = () => ({});

describe('the runtime of a server', () => {
  const RUNTIME = 'dist/services/environment-runtime.js';
  const replaced = ['environmentRuntimeService'];
  it.each([
    ['server', ['@paperclipai/server'], { told: ['patched @paperclipai/server 2026.916.1'], replaced }],
    ['fork', ['@acme/server'], { told: ['patched @acme/server 2026.916.1'], replaced }],
    ['fork', ['@paperclipai/server'], { told: ['stranger @acme/server 2026.916.1'], replaced: [] }],
    ['old', ['@paperclipai/server'], { told: ['unsupported @paperclipai/server 2026.416.0'], replaced: [] }],
  ])('of %s, with %j expected', (folder, servers, expected) => {
    expect(patch(`${folder}/${RUNTIME}`, servers, { environmentRuntimeService: factory })).toEqual(expected);
  });

  it('without its factory is a version that is not supported', () => {
    expect(patch(`server/${RUNTIME}`, ['@paperclipai/server'], { other: factory })).toEqual({
      told: ['unsupported @paperclipai/server 2026.916.1'],
      replaced: [],
    });
  });
});

describe('the duplex observability of adapter-utils', () => {
  it.each([
    ['utils', ['@paperclipai/server'], true],
    ['fork-utils', ['@acme/server'], true],
    ['fork-utils', ['@paperclipai/server', '@acme/adapter-utils'], true],
    ['fork-utils', ['@paperclipai/server'], false],
    ['fork-utils', ['acme'], false],
    ['other', ['@paperclipai/server'], false],
  ])('of %s, with the servers %j: patched %s', (folder, servers, isPatched) => {
    const module = { createDuplexObservability: () => ({}), other: factory };
    expect(patch(`${folder}/src/duplex-observability.ts`, servers, module)).toEqual({
      told: [],
      replaced: isPatched ? ['createDuplexObservability'] : [],
    });
  });
});

describe('the startup timing of adapter-utils', () => {
  const FILE = 'utils/dist/acpx-engine/startup-timing.js';
  it.each([
    [true, ['getActiveStepContext']],
    [false, []],
  ])('with providerSpans %s', (providerSpans, replaced) => {
    const module = { getActiveStepContext: () => null, runWithRuntimeParent: factory };
    expect(patch(FILE, ['@paperclipai/server'], module, { providerSpans })).toEqual({ told: [], replaced });
  });
});

describe('what starts processes in adapter-utils', () => {
  it.each([
    [true, ['runChildProcess']],
    [false, []],
  ])('with propagateContext %s', (propagateContext, replaced) => {
    const module = { runChildProcess: factory, other: factory };
    const options = { propagateContext };
    expect(patch('utils/src/server-utils.ts', ['@paperclipai/server'], module, options)).toEqual({
      told: [],
      replaced,
    });
  });
});

it('a module of another place is left alone, whosever it is', () => {
  const module = { environmentRuntimeService: factory };
  expect(patch('server/dist/services/index.js', ['@paperclipai/server'], module)).toEqual({
    told: [],
    replaced: [],
  });
});
