/**
 * A signal that aborts after a time, or with another signal. (`AbortSignal.timeout` and `AbortSignal.any` are newer than the oldest
 * browsers.)
 */
export function abortAfter(ms: number, other?: AbortSignal | null): AbortSignal {
  const controller = new AbortController();
  const follow = () => controller.abort(other?.reason);
  if (other?.aborted) follow();
  other?.addEventListener('abort', follow, { once: true });
  setTimeout(() => controller.abort(new DOMException('no answer in time', 'TimeoutError')), ms);
  return controller.signal;
}
