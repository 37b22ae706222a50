import { Button, Empty, FaultIcon } from '@fairtick/ui';
import { reloadIfThere, whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useState } from 'react';
import { useStream } from '../api/stream.ts';
import { useText } from '../messages/text-context.tsx';
import { useLoading } from '../state/loading.ts';

/**
 * Shown while a page's code loads: only the progress bar is visible, and after a while a sentence with a button to retry. The code
 * comes by itself when there is a connection; see `untilLoaded`.
 */
export function PageLoading() {
  const { t } = useText();
  const [isLong, setLong] = useState(false);
  const isOffline = useStream((state) => state.isStale) || !navigator.onLine;
  useEffect(() => (isLong ? undefined : useLoading.getState().begin()), [isLong]);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), navigator.onLine ? LONG_MS : LONG_OFFLINE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy={!isLong} style={{ minHeight: '60vh' }}>
      <div role="status">
        {isLong && (
          <Empty icon={<FaultIcon size={28} />} title={t(isOffline ? 'shell.neverOpened' : 'shell.slow')}>
            <Button size="small" onClick={() => void reloadIfThere()} style={{ marginTop: 12 }}>
              {t('list.again')}
            </Button>
          </Empty>
        )}
      </div>
    </div>
  );
}

/** Code that has not come for so long is late, or not on the device. */
const LONG_MS = 6_000;
/** Without a connection, code that is on the device comes within this time. */
const LONG_OFFLINE_MS = 2_000;

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
