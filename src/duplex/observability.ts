/**
 * Observes what Paperclip reports of its duplex channels. `createDuplexObservability` of `@paperclipai/adapter-utils`
 * (`duplex-observability.js`) makes a facade for each run that could use a channel. The bridge reports every attempt,
 * fallback, forwarded request, loss and leak to it.
 */

import { attempt } from '../base/faults.js';
import { closed, type HostFunction, isObject, readString } from '../base/values.js';
import { FALLBACK_REASONS, FORWARD_OUTCOMES, LOSS_CLASSES, LOSS_REASONS, VALUE_OTHER } from '../semconv.js';
import { type RequestScope, reporter, shared } from '../shared.js';
import { disguise } from '../wrap/disguise.js';
import { patchInPlace, type WrapMethod } from '../wrap/patch.js';
import { after } from './after.js';

const REASONS: ReadonlySet<string> = new Set(FALLBACK_REASONS);
const LOST_WHEN: ReadonlySet<string> = new Set(LOSS_CLASSES);
const LOST_WHY: ReadonlySet<string> = new Set(LOSS_REASONS);
const FORWARDED: ReadonlySet<string> = new Set(FORWARD_OUTCOMES);

/** Wraps the factory, so that the facades it makes are observed. */
export function observeDuplexFactory(original: HostFunction): HostFunction {
  if (shared.observed.has(original)) return original;
  const factory = disguise(original, (self, args) => {
    const facade = Reflect.apply(original, self, args);
    attempt('observing a duplex channel failed', () => {
      const options = args[0];
      observeFacade(facade, isObject(options) ? readString(options.providerKey) : undefined);
    });
    return facade;
  });
  shared.observed.add(factory);
  return factory;
}

function observeFacade(facade: unknown, provider: string | undefined): void {
  if (!isObject(facade) || shared.observed.has(facade)) return;
  shared.observed.add(facade);
  patchInPlace(
    facade,
    new Map([
      ['startChannelOpen', observeStart(provider)],
      ['recordFallback', after(([reason]) => reportFallback(provider, reason))],
      ['recordRequest', after(([request]) => reportForward(provider, request))],
      [
        'recordLoss',
        after(([lossClass, reason]) =>
          reporter()?.onLoss({
            provider,
            lossClass: closedOr(lossClass, LOST_WHEN),
            reason: closedOr(reason, LOST_WHY),
          }),
        ),
      ],
      ['recordSessionLeak', after(() => reporter()?.onSessionLeak({ provider }))],
    ]),
  );
}

/** An attempt is one request. The first call of one of its two methods counts. */
function observeStart(provider: string | undefined): WrapMethod {
  return (original) =>
    disguise(original, (self, args) => {
      const attempted = Reflect.apply(original, self, args);
      attempt('observing a duplex channel failed', () => {
        if (!isObject(attempted) || shared.observed.has(attempted)) return;
        shared.observed.add(attempted);
        const scope: RequestScope = { isOver: false };
        // What this run does from here to the attempt's end belongs to a request that is counted here. The bridge has
        // awaited before, so this reaches the run's own continuation and not the bridge's caller.
        shared.requestScopes.enterWith(scope);
        const first = (report: (args: readonly unknown[]) => void) =>
          after((callArgs) => {
            if (scope.isOver) return;
            scope.isOver = true;
            report(callArgs);
          });
        patchInPlace(
          attempted,
          new Map([
            ['ready', first(() => reporter()?.onRequest({ provider, outcome: 'opened' }))],
            ['fallback', first(([reason]) => announceFallback(scope, provider, reason))],
          ]),
        );
      });
      return attempted;
    });
}

/** Paperclip decides not to try, and the run goes on at once. */
function reportFallback(provider: string | undefined, reason: unknown): void {
  reporter()?.onRequest({ provider, outcome: 'fallback', reason: closedOr(reason, REASONS) });
}

/**
 * Paperclip also says `fallback` where the attempt failed because the run was stopped, and no argument tells the two
 * apart. Only where the run goes on does its next `execute` start in this scope.
 */
function announceFallback(scope: RequestScope, provider: string | undefined, reason: unknown): void {
  const { errorType } = scope;
  scope.onExecute = reporter()?.onFallbackAnnounced({
    provider,
    reason: closedOr(reason, REASONS),
    errorType,
  });
}

function reportForward(provider: string | undefined, request: unknown): void {
  if (!isObject(request)) return;
  const { latencyMs, outcome } = request;
  if (typeof latencyMs !== 'number' || !(latencyMs >= 0)) return;
  reporter()?.onForward({ provider, latencyMs, outcome: closedOr(outcome, FORWARDED) });
}

function closedOr(value: unknown, set: ReadonlySet<string>): string {
  return closed(readString(value), set, VALUE_OTHER) ?? VALUE_OTHER;
}
