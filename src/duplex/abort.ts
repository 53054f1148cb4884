/**
 * Does the work unless the signal is aborted first. Work that is running then is not awaited.
 *
 * @param onLate called with the value of work that ends after the abort
 * @throws what the work threw, or the signal's reason
 */
export async function withAbort<T>(
  work: () => Promise<T> | T,
  signal: AbortSignal | undefined,
  onLate?: (value: T) => void,
): Promise<T> {
  if (signal === undefined) return await work();
  signal.throwIfAborted();
  let stopListening = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const listener = () => reject(signal.reason);
    signal.addEventListener('abort', listener, { once: true });
    stopListening = () => signal.removeEventListener('abort', listener);
  });
  const working = (async () => await work())();
  try {
    return await Promise.race([working, aborted]);
  } catch (error) {
    if (signal.aborted) working.then(onLate, () => {});
    throw error;
  } finally {
    stopListening();
  }
}
