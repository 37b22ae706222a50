import { Skeleton } from '@fairtick/ui';
import { whenLoaded } from '@fairtick/ui/load-code';
import { useEffect, useState } from 'react';
import { later } from '../parts/later.tsx';
import { UntilLate } from '../shell/progress.tsx';
import css from './landing.module.css';

const WAITING = (
  <div aria-busy="true" className="stack gap-16">
    <Skeleton width="60%" height={22} />
    <Skeleton width="100%" height={132} />
    <Skeleton width="100%" height={44} />
  </div>
);
const ReceiptSlip = later(() => whenLoaded(() => import('./receipt-slip.tsx')), {
  waiting: <UntilLate>{WAITING}</UntilLate>,
});
/** Delay, because the first screen does not need its code. */
const START_AFTER_MS = 1_500;

/** The place of a receipt that a visitor can check. Its height is the same before and after it has loaded. */
export function ReceiptSample() {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), START_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={`flex-column py-14 px-16 mt-24 ${css.slip}`}>{isWanted ? <ReceiptSlip /> : WAITING}</div>
  );
}
