import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect } from 'react';
import { useLoading } from '../state/loading.ts';

/** Shown while a page's code loads: only the progress bar is visible. */
export function PageLoading() {
  useEffect(() => useLoading.getState().begin(), []);
  return <div aria-busy="true" style={{ minHeight: '60vh' }} />;
}

/** Shorter waits show no indicator. */
const SHOW_AFTER_MS = 120;

/** Starts the slim progress bar, which shows while pages load or calls run. Called once. */
export async function startProgressBar(): Promise<void> {
  const { BProgress } = await whenLoaded(() => import('@bprogress/core'));
  BProgress.configure({
    easing: 'ease',
    speed: 500,
    showSpinner: false,
    trickleSpeed: 200,
    minimum: 0.3,
    parent: '#app',
  });
  let timer: ReturnType<typeof setTimeout> | null = null;
  const follow = (pending: number) => {
    if (pending > 0) {
      timer ??= setTimeout(() => {
        // A bar that still fades out is removed at its end, so a new one must not reuse it.
        for (const bar of document.querySelectorAll('#app > .bprogress'))
          if (!BProgress.isStarted()) bar.remove();
        BProgress.start();
      }, SHOW_AFTER_MS);
      return;
    }
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    // In a task of its own: the bar measures itself, and with it the view that was just rendered.
    setTimeout(() => {
      if (timer === null && BProgress.isStarted()) BProgress.done();
    });
  };
  useLoading.subscribe(({ pending }) => follow(pending));
  follow(useLoading.getState().pending);
}
