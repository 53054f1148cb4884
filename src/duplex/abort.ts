/**
 * Does the work, unless or until the signal is aborted. What is under way then is not waited for.
 *
 * @param onLate given the value of work that was done after all
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
