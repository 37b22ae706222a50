import { Card, Ruler, Stamp } from '@fairtick/ui';
import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useState } from 'react';
import { useStream } from '../../api/stream.ts';
import { asServerTime } from '../../live/clock.ts';
import type { Text } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatCount, formatSince } from '../../state/format.ts';
import type { ClockWord } from './clock-model.ts';
import type { LogCheck } from './log-check.ts';
import css from './market.module.css';

const SECONDS = 60;
/** Delay of the check, because the first screen does not need its code. */
const START_AFTER_MS = 3_000;

/**
 * The last minute of the price log. The stamp appears once this device itself has verified the log's signature, and that the log
 * only grew since the last check. While the line is down, the card says since when.
 */
export function LogPulse() {
  const { t, tag } = useText();
  const check = useLogCheck();
  const { isStale, lastMs } = useStream();
  const isChecked = check?.isRight === true && !isStale;
  const state =
    check?.isRight === false
      ? t('log.wrong')
      : isStale
        ? lostText(lastMs, { t, tag })
        : isChecked
          ? t('log.checked')
          : t('log.signed');
  return (
    <Card className={css.pulse ?? ''} data-lost={isStale || undefined}>
      <div className={`row gap-8 text-13 nowrap ${css.pulseHead}`}>
        <Stamp isChecked={isChecked} />
        <b className="strong">{t('log.title')}</b>
        <span className="ink-2">
          {check && !isStale ? t('log.entries', { count: formatCount(check.size) }) : ''}
        </span>
        <span key={String(isChecked)} className={`caption ml-auto ${css.pulseNote}`}>
          {state}
        </span>
      </div>
      <Ruler units={SECONDS} share={1} isFilled={false} />
      {check?.clock && <ClockLine clock={check.clock} />}
    </Card>
  );
}

function ClockLine({ clock: { kind, seconds } }: { clock: ClockWord }) {
  const { t } = useText();
  const time =
    seconds < 120
      ? t('log.seconds', { count: seconds })
      : t('log.minutes', { count: Math.round(seconds / 60) });
  return (
    <p className="mt-8 text-12 ink-2" role="status">
      {t(kind === 'apart' ? 'log.clockApart' : 'log.signedBefore', { time })}
    </p>
  );
}

function lostText(lastMs: number | null, { t, tag }: Pick<Text, 't' | 'tag'>): string {
  return lastMs === null ? t('log.lost') : t('log.lostAt', { time: formatSince(asServerTime(lastMs), tag) });
}

function useLogCheck(): LogCheck | null {
  const [check, setCheck] = useState<LogCheck | null>(null);
  useEffect(() => {
    let stop = () => {};
    let isGone = false;
    const timer = setTimeout(async () => {
      const { followLog } = await whenLoaded(() => import('./log-check.ts'));
      if (!isGone) stop = followLog(setCheck);
    }, START_AFTER_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
      stop();
    };
  }, []);
  return check;
}
