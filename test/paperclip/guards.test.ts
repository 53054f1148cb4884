import { beforeAll, describe, expect, test } from 'vitest';
import { NODES, type Played, play, stepOf } from './harness.js';

const NO_PLUGIN = 'Sandbox driver does not support duplex channels for this lease.';
const INCOMPLETE =
  'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.';
const ACCEPTED = 'reached the worker';

interface Judged {
  lease: { metadata?: Record<string, unknown> | null; providerLeaseId?: unknown };
  /** What the real driver threw. */
  verdict: string;
  described: { shape: string; missingFields: string[] };
  supportsDuplex: boolean;
  hasIdentity: boolean;
}

describe.each(NODES)('leases of every shape, on $name', ({ path }) => {
  let played: Played;
  let judged: Judged[];
  beforeAll(async () => {
    played = await play({ node: path, scenarios: ['guards'] });
    judged = stepOf(played, 'leases of every shape').seen.value as Judged[];
  });

  test('are each judged once: nine forms of the flag, seven of each of the three fields', () => {
    expect(judged).toHaveLength(9 * 7 ** 3);
    expect(new Set(judged.map(({ lease }) => JSON.stringify(lease))).size).toBe(9 * 7 ** 3);
    expect(new Set(judged.map(({ verdict }) => verdict))).toEqual(new Set([NO_PLUGIN, INCOMPLETE, ACCEPTED]));
  });

  test('are told apart by the guards as by the real driver', () => {
    const saysOtherwise = judged.filter(({ verdict, described, supportsDuplex, hasIdentity }) => {
      const byShape = { non_plugin: NO_PLUGIN, plugin_incomplete: INCOMPLETE, plugin_complete: ACCEPTED };
      const byGuards = !supportsDuplex ? NO_PLUGIN : !hasIdentity ? INCOMPLETE : ACCEPTED;
      const namesFields = described.missingFields.length > 0;
      return (
        byShape[described.shape as keyof typeof byShape] !== verdict ||
        byGuards !== verdict ||
        namesFields !== (verdict === INCOMPLETE)
      );
    });
    expect(saysOtherwise).toEqual([]);
  });

  test('have the shape and the missing fields on their span that the guards say', () => {
    const { spans } = stepOf(played, 'leases of every shape').exported;
    expect(spans.map(({ attributes }) => attributes['paperclip.lease.shape'])).toEqual(
      judged.map(({ described }) => described.shape),
    );
    expect(spans.map(({ attributes }) => attributes['paperclip.lease.missing_fields'] ?? '')).toEqual(
      judged.map(({ described }) => described.missingFields.join(',')),
    );
  });

  test.each([
    [[], ACCEPTED],
    [['metadata.pluginId'], INCOMPLETE],
    [['metadata.provider'], INCOMPLETE],
    [['providerLeaseId'], INCOMPLETE],
    [['metadata.pluginId', 'metadata.provider'], INCOMPLETE],
    [['metadata.pluginId', 'providerLeaseId'], INCOMPLETE],
    [['metadata.provider', 'providerLeaseId'], INCOMPLETE],
    [['metadata.pluginId', 'metadata.provider', 'providerLeaseId'], INCOMPLETE],
  ])('of a plug-in that lack %j have exactly that missing', (missing, verdict) => {
    const given = (name: string) => (missing.includes(name) ? undefined : 'valid');
    const found = judged.find(
      ({ lease }) =>
        lease.metadata?.sandboxProviderPlugin === true &&
        lease.metadata.pluginId === given('metadata.pluginId') &&
        lease.metadata.provider === given('metadata.provider') &&
        lease.providerLeaseId === given('providerLeaseId'),
    );
    expect(found).toMatchObject({ verdict, described: { missingFields: missing } });
  });

  test.each([undefined, null, false, '', 0])('are of no plug-in where the flag is %j', (flag) => {
    const verdicts = judged
      .filter(({ lease }) => lease.metadata?.sandboxProviderPlugin === flag)
      .map(({ verdict, described }) => `${described.shape}: ${verdict}`);
    expect(verdicts).toHaveLength(7 ** 3);
    expect(new Set(verdicts)).toEqual(new Set([`non_plugin: ${NO_PLUGIN}`]));
  });

  test.each([true, 'x', 1, {}])('are of a plug-in where the flag is %j', (flag) => {
    const ofPlugin = judged.filter(
      ({ lease }) => JSON.stringify(lease.metadata?.sandboxProviderPlugin) === JSON.stringify(flag),
    );
    expect(ofPlugin).toHaveLength(7 ** 3);
    // Of the seven forms of a field, two are strings that are not empty: white space and the valid one.
    expect(ofPlugin.filter(({ verdict }) => verdict === ACCEPTED)).toHaveLength(2 ** 3);
    expect(ofPlugin.filter(({ verdict }) => verdict === INCOMPLETE)).toHaveLength(7 ** 3 - 2 ** 3);
  });

  test('are of no plug-in without metadata', () => {
    const without = stepOf(played, 'leases without metadata').seen.value as Judged[];
    expect(without).toHaveLength(3);
    for (const one of without) {
      expect(one).toMatchObject({
        verdict: NO_PLUGIN,
        described: { shape: 'non_plugin', missingFields: [] },
        supportsDuplex: false,
        hasIdentity: false,
      });
    }
  });
});
