import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useState } from 'react';
import { useStream } from '../api/stream.ts';
import { useText } from '../messages/text-context.tsx';
import { useLoading } from '../state/loading.ts';

/** Shown while a page's code loads: only the progress bar is visible, or a sentence where the code can't be fetched. */
export function PageLoading() {
  const { t } = useText();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => (isMissing ? undefined : useLoading.getState().begin()), [isMissing]);
  useEffect(() => {
    const timer = setTimeout(
      () => setMissing(useStream.getState().isStale || !navigator.onLine),
      MISSING_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy={!isMissing} style={{ minHeight: '60vh' }}>
      <div role="status">{isMissing && <p style={{ padding: '24px 16px' }}>{t('shell.neverOpened')}</p>}</div>
    </div>
  );
}

/** A screen whose code has not come for so long without a connection is not on the device. */
const MISSING_AFTER_MS = 6_000;

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
