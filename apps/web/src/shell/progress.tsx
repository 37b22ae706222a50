import { Button, Empty, FaultIcon } from '@fairtick/ui';
import { CODE_MISSING, isCodeMissing, reloadIfThere, whenLoaded } from '@fairtick/ui/load-code';
import { type ReactNode, useEffect, useState } from 'react';
import { useStream } from '../api/stream.ts';
import { useText } from '../messages/text-context.tsx';
import { useLoading } from '../state/loading.ts';
import { progressTemplate } from './trusted-types.ts';

/** Shown while a page's code loads: only the progress bar is visible, and after a while what {@link UntilLate} shows. */
export function PageLoading() {
  return (
    <div aria-busy="false" style={{ minHeight: '60vh' }}>
      <UntilLate>
        <Busy />
      </UntilLate>
    </div>
  );
}

/** Holds the progress bar for as long as it is shown. */
function Busy() {
  useEffect(() => useLoading.getState().begin(), []);
  return <div aria-busy="true" />;
}

/**
 * Shows a placeholder of code that loads, and after a while a sentence with a button to retry. The code comes by itself when there is
 * a connection; see `untilLoaded`.
 */
export function UntilLate({ children }: { children: ReactNode }) {
  const { t } = useText();
  const [isLate, setLate] = useState(false);
  const isOffline = useStream((state) => state.isStale) || !navigator.onLine;
  useEffect(() => {
    const tell = () => setLate(true);
    const timer = setTimeout(tell, isCodeMissing() ? LATE_OFFLINE_MS : LATE_MS);
    addEventListener(CODE_MISSING, tell);
    return () => {
      clearTimeout(timer);
      removeEventListener(CODE_MISSING, tell);
    };
  }, []);
  return (
    <>
      {!isLate && children}
      <div role="status">
        {isLate && (
          <Empty icon={<FaultIcon size={28} />} title={t(isOffline ? 'shell.notKept' : 'shell.slow')}>
            <Button size="small" onClick={() => void reloadIfThere()} style={{ marginTop: 12 }}>
              {t('list.again')}
            </Button>
          </Empty>
        )}
      </div>
    </>
  );
}

/** Code that has not come for so long is late; code that can't be fetched is told of at once. */
const LATE_MS = 6_000;
/** Once something could not be fetched, code that is on the device comes within this time. */
const LATE_OFFLINE_MS = 400;

/** Shorter waits show no indicator. */
const SHOW_AFTER_MS = 120;
/** How often the bar advances. Its own clock would begin once more with each start, and two of them advance it twice as fast. */
const TRICKLE_MS = 200;

/** Starts the slim progress bar, which shows while pages load or calls run. Called once. */
export async function startProgressBar(): Promise<void> {
  const { BProgress } = await whenLoaded(() => import('@bprogress/core'));
  BProgress.configure({
    easing: 'ease',
    speed: 500,
    showSpinner: false,
    template: progressTemplate(),
    trickle: false,
    minimum: 0.3,
    parent: '#app',
  });
  let timer: ReturnType<typeof setTimeout> | null = null;
  let pace: ReturnType<typeof setInterval> | undefined;
  const follow = (pending: number) => {
    if (pending > 0) {
      timer ??= setTimeout(() => {
        // A bar that still fades out is removed at its end, so a new one must not reuse it.
        for (const bar of document.querySelectorAll('#app > .bprogress'))
          if (!BProgress.isStarted()) bar.remove();
        BProgress.start();
        clearInterval(pace);
        pace = setInterval(() => BProgress.trickle(), TRICKLE_MS);
      }, SHOW_AFTER_MS);
      return;
    }
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    // In a task of its own: the bar measures itself, and with it the view that was just rendered.
    setTimeout(() => {
      if (timer !== null || !BProgress.isStarted()) return;
      clearInterval(pace);
      BProgress.done();
    });
  };
  useLoading.subscribe(({ pending }) => follow(pending));
  follow(useLoading.getState().pending);
}
