import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeLeaseShape, hasDuplexLeaseIdentity, supportsPluginDuplexChannel } from '../../src/index.js';

const FIELD_FORMS = [undefined, null, '', ' ', 7, {}, 'valid'] as const;
const FLAG_FORMS = [undefined, null, false, 0, '', true, 1, 'yes', {}] as const;

function lease(flag: unknown, pluginId: unknown, provider: unknown, providerLeaseId: unknown) {
  return { metadata: { sandboxProviderPlugin: flag, pluginId, provider }, providerLeaseId };
}

describe('the shape of a lease', () => {
  it('names exactly the fields that are no non-empty string, for every combination of their forms', () => {
    for (const pluginId of FIELD_FORMS) {
      for (const provider of FIELD_FORMS) {
        for (const providerLeaseId of FIELD_FORMS) {
          const missing = [
            ...(pluginId === 'valid' || pluginId === ' ' ? [] : ['metadata.pluginId']),
            ...(provider === 'valid' || provider === ' ' ? [] : ['metadata.provider']),
            ...(providerLeaseId === 'valid' || providerLeaseId === ' ' ? [] : ['providerLeaseId']),
          ];
          const subject = lease(true, pluginId, provider, providerLeaseId);
          expect(describeLeaseShape(subject)).toEqual({
            shape: missing.length === 0 ? 'plugin_complete' : 'plugin_incomplete',
            missingFields: missing,
          });
          expect(hasDuplexLeaseIdentity(subject)).toBe(missing.length === 0);
        }
      }
    }
  });

  it.each(FLAG_FORMS.map((flag) => ({ flag, truthy: Boolean(flag) })))(
    'counts the plug-in flag $flag as $truthy',
    ({ flag, truthy }) => {
      const subject = lease(flag, 'p', 'k', 'l');
      expect(supportsPluginDuplexChannel(subject)).toBe(truthy);
      expect(describeLeaseShape(subject).shape).toBe(truthy ? 'plugin_complete' : 'non_plugin');
    },
  );

  it.each([null, undefined])('is absent where the lease is %s', (nothing) => {
    expect(describeLeaseShape(nothing)).toEqual({ shape: 'absent', missingFields: [] });
    expect(supportsPluginDuplexChannel(nothing)).toBe(false);
    expect(hasDuplexLeaseIdentity(nothing)).toBe(false);
  });

  it.each([{}, { metadata: null }, { metadata: {} }])('is non_plugin without a flag: %o', (subject) => {
    expect(describeLeaseShape(subject)).toEqual({ shape: 'non_plugin', missingFields: [] });
  });

  it('agrees with both guards on any lease', () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.anything(),
        fc.anything(),
        fc.anything(),
        (flag, id, provider, leaseId) => {
          const subject = lease(flag, id, provider, leaseId);
          const { shape } = describeLeaseShape(subject);
          expect(shape === 'plugin_complete').toBe(
            supportsPluginDuplexChannel(subject) && hasDuplexLeaseIdentity(subject),
          );
          expect(shape === 'non_plugin').toBe(!supportsPluginDuplexChannel(subject));
        },
      ),
    );
  });
});
