/** Calls `make` at most once per `everyMs`, and never twice at once: callers share its result. */
export function cached<T>(everyMs: number, make: () => Promise<T>): () => Promise<T> {
  let value: { readonly made: T; readonly atMs: number } | null = null;
  let making: Promise<T> | null = null;
  const remake = (): Promise<T> => {
    making ??= make()
      .then((made) => {
        value = { made, atMs: performance.now() };
        return made;
      })
      .finally(() => {
        making = null;
      });
    return making;
  };
  return async () => (value !== null && performance.now() - value.atMs < everyMs ? value.made : remake());
}
