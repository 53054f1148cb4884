import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeOf, type Startup } from '../../src/start/place.js';
import { tree } from '../support/tree.js';

const config = (port: unknown) => ({ server: { port } });
const root = tree({
  'project/.paperclip/config.json': config(4100),
  'project/below/it/.keep': '',
  'home/instances/default/config.json': config(4200),
  'home/instances/two/config.json': config(4300),
  'broken/config.json': '{',
  'other/.keep': '',
});
const HOME = join(root, 'home');

function place(startup: Partial<Startup> = {}): string {
  return placeOf({ env: {}, args: [], cwd: join(root, 'other'), ...startup });
}

const DEFAULT = place();

it('is the name of the host, the port and a hash', () => {
  expect(DEFAULT).toMatch(new RegExp(`^${hostname()}:3100/[0-9a-f]{4}$`));
});

it('is the same each time', () => {
  const startup = { env: { PAPERCLIP_HOME: HOME, PAPERCLIP_INSTANCE_ID: 'two' } };
  expect(place(startup)).toBe(place(startup));
  expect(place(startup)).toContain(':4300/');
});

it('has the number of the worker in a cluster, which is that of pm2 where it numbers them', () => {
  expect(place({ worker: 2 })).toBe(`${DEFAULT}/2`);
  expect(place({ worker: 7, env: { NODE_APP_INSTANCE: '0' } })).toBe(`${DEFAULT}/0`);
  expect(place({ env: { NODE_APP_INSTANCE: '0' } })).toBe(DEFAULT);
});

it('names neither paths nor users nor the instance', () => {
  const named = place({ env: { PAPERCLIP_HOME: HOME, PAPERCLIP_INSTANCE_ID: 'acme-corp' } });
  expect(named).toMatch(new RegExp(`^${hostname()}:3100/[0-9a-f]{4}$`));
});

describe('the port', () => {
  it.each<[string, Partial<Startup>, number]>([
    ['of the variable', { env: { PORT: '5000', PAPERCLIP_HOME: HOME } }, 5000],
    ["of the instance's configuration", { env: { PAPERCLIP_HOME: HOME } }, 4200],
    ['of a configuration above the working folder', { cwd: join(root, 'project/below/it') }, 4100],
    ['of a configuration that a variable names', { env: { PAPERCLIP_CONFIG: configOf('two') } }, 4300],
    ['by default', { env: { PORT: 'x' } }, 3100],
    [
      'by default where the configuration cannot be read',
      { env: { PAPERCLIP_CONFIG: 'broken/config.json' } },
      3100,
    ],
  ])('is that %s', (_title, startup, port) => {
    expect(place(startup)).toContain(`:${port}/`);
  });
});

function configOf(instance: string): string {
  return join(root, 'home/instances', instance, 'config.json');
}

describe('two servers on one host and port', () => {
  it.each<[string, Partial<Startup>]>([
    ['homes', { env: { PAPERCLIP_HOME: join(root, 'other') } }],
    ['instances', { env: { PAPERCLIP_INSTANCE_ID: 'two' } }],
    ['configurations', { env: { PAPERCLIP_CONFIG: join(root, 'other/config.json') } }],
    ['instances by option', { args: ['run', '--instance', 'two'] }],
    ['homes by option', { args: ['run', `--data-dir=${join(root, 'other')}`] }],
    ['configurations by option', { args: ['run', '-c', join(root, 'other/config.json'), '--yes'] }],
  ])('differ by their %s', (_title, startup) => {
    expect(place(startup)).not.toBe(DEFAULT);
  });

  it('are the same by variable and by option', () => {
    const byVariable = place({ env: { PAPERCLIP_HOME: HOME, PAPERCLIP_INSTANCE_ID: 'two' } });
    expect(place({ args: ['run', '-d', HOME, '-i', 'two'] })).toBe(byVariable);
  });

  it('are the same where the defaults are named', () => {
    expect(place({ env: { PAPERCLIP_HOME: '~/.paperclip', PAPERCLIP_INSTANCE_ID: 'default' } })).toBe(
      DEFAULT,
    );
    expect(place({ env: { PAPERCLIP_HOME: join(homedir(), '.paperclip') } })).toBe(DEFAULT);
  });
});
