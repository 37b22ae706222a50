import { useEffect, useEffectEvent } from 'react';

type Handler<T> = (news: T) => void;

/** Passes news on to all handlers; `on` registers one, and returns how to remove it. */
export function createNews<T>() {
  const handlers = new Set<Handler<T>>();
  return {
    on(handler: Handler<T>): () => void {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    tell(news: T): void {
      for (const handler of handlers) handler(news);
    },
  };
}

export function useNews<T>({ on }: ReturnType<typeof createNews<T>>, handler: Handler<T>): void {
  const latest = useEffectEvent(handler);
  useEffect(() => on((news) => latest(news)), [on]);
}
