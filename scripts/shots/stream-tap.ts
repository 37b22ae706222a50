import type { Page, WebSocketRoute } from 'playwright-core';

/** The page's stream of the real server, which can be held or cut. */
export interface StreamTap {
  /** Resolves once the server has said something. */
  readonly begun: Promise<void>;
  /** From now on the server's messages do not reach the page. */
  hold(): void;
  /** Closes the stream; new ones are closed at once. */
  cut(): void;
}

/** Called before the page is opened. */
export async function tapStream(page: Page): Promise<StreamTap> {
  const begun = Promise.withResolvers<void>();
  const streams: WebSocketRoute[] = [];
  let state: 'flowing' | 'held' | 'cut' = 'flowing';
  await page.routeWebSocket(/\/api\/stream/, async (stream) => {
    if (state === 'cut') return stream.close();
    const server = stream.connectToServer();
    streams.push(stream, server);
    server.onMessage((message) => {
      if (state === 'held') return;
      stream.send(message);
      begun.resolve();
    });
  });
  return {
    begun: begun.promise,
    hold: () => {
      state = 'held';
    },
    cut: () => {
      state = 'cut';
      for (const stream of streams) void stream.close();
    },
  };
}
