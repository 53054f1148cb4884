import { describe, expect, it } from 'vitest';
import { classifyLeaseError, loadErrorCatalog } from '../../src/index.js';

const UNSUPPORTED = 'unsupported-driver-operation';
const MISSING = 'missing-metadata-field';

describe('classifying an error with the built-in records', () => {
  it.each([
    [UNSUPPORTED, 'Sandbox driver does not support duplex channels for this lease.'],
    [UNSUPPORTED, 'Sandbox driver does not support native file sync for this lease.'],
    [UNSUPPORTED, 'Sandbox driver does not support direct command execution for built-in providers.'],
    [UNSUPPORTED, 'Sandbox driver does not support runner ingress for this lease.'],
    [UNSUPPORTED, 'Sandbox lease does not grant the duplex command stream capability.'],
    [UNSUPPORTED, 'Sandbox lease does not grant runner WebSocket ingress.'],
    [UNSUPPORTED, 'Environment driver "local" does not support lease resume.'],
    [UNSUPPORTED, 'Environment driver "local" does not support lease destroy.'],
    [UNSUPPORTED, 'Environment driver "local" does not support workspace realization.'],
    [UNSUPPORTED, 'Environment driver "ssh" does not support command execution.'],
    [UNSUPPORTED, 'Environment driver "ssh" does not support native file sync.'],
    [UNSUPPORTED, 'Environment driver "ssh" does not support duplex channels.'],
    [UNSUPPORTED, 'Environment driver "my own" does not support runner ingress.'],
    [UNSUPPORTED, 'Environment driver "local" does not support orphan sandbox teardown.'],
    [
      MISSING,
      'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.',
    ],
    [MISSING, 'Sandbox lease is missing plugin/provider metadata for native file sync.'],
    [MISSING, 'Sandbox runner ingress is missing its provider identity.'],
    [MISSING, 'Plugin environment lease "l-1" does not have a provider lease id to resume.'],
    [MISSING, 'Plugin environment driver "acme:unknown" is missing a driver key.'],
    [MISSING, 'Pending-cleanup lease "l-1" has no recorded provider for teardown.'],
    [MISSING, 'Pending-cleanup lease "l-1" has no recorded config for provider "e2b".'],
  ])('gives %s to: %s', (tag, message) => {
    const error = new Error(message);
    const found = classifyLeaseError(error);
    expect(found?.backgroundTag).toBe(tag);
    expect(found?.error).toBe(error);
    expect(found?.fixedMessage).toBe(message.includes('"') ? undefined : message);
    expect(found?.handlingStrategy).toBe(tag === UNSUPPORTED ? 'type-guard' : 'validation');
  });

  it.each([
    'Plugin worker "p-1" is not running for the duplex channel.',
    'Plugin environment driver "acme:box" is not ready.',
    'Plugin "acme" does not declare environment driver "box".',
    'Environment "prod" is not active.',
    'Environment driver "box" is not registered in the environment runtime yet.',
    'Sandbox provider "e2b" needs a plugin worker manager for cleanup, but none is available.',
    'Cannot keep non-reusable environment lease "l-1" running.',
    '',
  ])('leaves errors of another kind alone: %s', (message) => {
    expect(classifyLeaseError(new Error(message))).toBeUndefined();
  });

  it.each([
    [
      'sandbox-driver-does-not-support-duplex-channels-fo',
      'does not support duplex channels for this lease.',
    ],
    ['sandbox-duplex-channel-needs-a-plugin-id-a-provid', 'needs a plugin id'],
  ])('gives the slug of the published record: %s', (slug, part) => {
    const messages = [
      'Sandbox driver does not support duplex channels for this lease.',
      'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.',
    ];
    expect(classifyLeaseError(new Error(messages.find((message) => message.includes(part))))?.slug).toBe(
      slug,
    );
  });
});

describe('a message that only contains the text of a built-in record', () => {
  const fixed =
    'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.';
  const quoting = new Error(`command failed: ${fixed}`);
  const other = new Error('token=abc Environment driver "ssh" does not support duplex channels.');

  it.each([
    ['a complete lease', 'plugin_complete'],
    ['a lease of another kind', 'non_plugin'],
    ['no lease', 'absent'],
    ['a lease that is not known', undefined],
  ] as const)('is nothing on %s', (_lease, shape) => {
    expect(classifyLeaseError(quoting, undefined, shape)).toBeUndefined();
  });

  it('counts where the lease is of the shape on which Paperclip throws it, and has no fixed message', () => {
    const found = classifyLeaseError(quoting, undefined, 'plugin_incomplete');
    expect(found).toMatchObject({ backgroundTag: MISSING, error: quoting });
    expect(found?.fixedMessage).toBeUndefined();
    expect(classifyLeaseError(other, undefined, 'plugin_incomplete')).toBeUndefined();
    expect(classifyLeaseError(other, undefined, 'non_plugin')?.backgroundTag).toBe(UNSUPPORTED);
  });

  it('gives way to an error inside it with exactly that text', () => {
    const cause = new Error(fixed);
    const found = classifyLeaseError(
      new Error(`Failed: ${fixed}`, { cause }),
      undefined,
      'plugin_incomplete',
    );
    expect(found?.error).toBe(cause);
    expect(found?.fixedMessage).toBe(fixed);
  });

  it.each([`${fixed}\n`, `\n${fixed}`, `${fixed}\n${fixed}`])('is not the whole message: %j', (message) => {
    expect(classifyLeaseError(new Error(message))).toBeUndefined();
  });

  it('matches a record of an operator, as that says', () => {
    const catalog = loadErrorCatalog([
      { schemaVersion: 2, slug: 'own', messagePattern: 'needs a plugin id', backgroundTag: MISSING },
    ]);
    expect(classifyLeaseError(quoting, catalog)?.slug).toBe('own');
  });
});

describe('errors inside an error', () => {
  const inner = new Error('Sandbox driver does not support duplex channels for this lease.');

  it('are found through cause, and the one that matched is returned', () => {
    const found = classifyLeaseError(new Error('a', { cause: new Error('b', { cause: inner }) }));
    expect(found?.error).toBe(inner);
  });

  it('are found in an AggregateError, nearest first', () => {
    const deeper = new Error('Sandbox runner ingress is missing its provider identity.');
    const found = classifyLeaseError(new AggregateError([new Error('x', { cause: deeper }), inner]));
    expect(found?.error).toBe(inner);
  });

  it('end where the chain bites its own tail', () => {
    const first: Error & { cause?: unknown } = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(classifyLeaseError(first)).toBeUndefined();
  });

  it('are followed to a bounded number', () => {
    let error: Error = inner;
    for (let depth = 0; depth < 31; depth += 1) error = new Error('wrapper', { cause: error });
    expect(classifyLeaseError(error)?.error).toBe(inner);
    expect(classifyLeaseError(new Error('wrapper', { cause: error }))).toBeUndefined();
  });

  it.each([undefined, null, 'text', 7, Symbol('s'), {}, [], () => {}])('do not exist in %s', (thrown) => {
    expect(classifyLeaseError(thrown)).toBeUndefined();
  });
});

it('classifies with the records of a given catalog only, earlier ones first', () => {
  const catalog = loadErrorCatalog([
    { schemaVersion: 2, slug: 'first', messagePattern: 'quota', backgroundTag: 'quota-exceeded' },
    { schemaVersion: 2, slug: 'second', errorMessage: 'quota is used up', backgroundTag: 'other' },
  ]);
  expect(classifyLeaseError(new Error('quota is used up'), catalog)).toMatchObject({
    slug: 'first',
    backgroundTag: 'quota-exceeded',
    handlingStrategy: undefined,
    fixedMessage: undefined,
  });
  const unsupported = new Error('Sandbox driver does not support duplex channels for this lease.');
  expect(classifyLeaseError(unsupported, catalog)).toBeUndefined();
});
