import { Card } from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
import type { ReactNode } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './dashboard.module.css';
import type { House } from './queries.ts';

/** Figures of settlement and the log, each with its meaning. */
export function HealthSection({ house }: { house: House }) {
  const { t, word, tag } = useText();
  const { settlement, log } = house;
  const number = new Intl.NumberFormat(tag);
  const age = (ms: number) => durationText(ms, tag);
  const delay = (ms: number | null) => (ms === null ? t('dashboard.noneLately') : age(ms));
  const joined = new Intl.ListFormat(tag, { style: 'narrow' });
  const list = (parts: readonly string[]) => (parts.length === 0 ? number.format(0) : joined.format(parts));
  const voids = settlement.voids.map(
    ({ reason, orders }) => `${word('voidReason', reason)} × ${number.format(orders)}`,
  );
  const gaps = log.gaps.map(({ reason, products }) => `${word('gap', reason)} × ${number.format(products)}`);
  return (
    <div className={`columns-fit items-start gap-20 ${css.beside}`}>
      <section className="section">
        <h2>{t('dashboard.settlement')}</h2>
        <Card className={css.card ?? ''}>
          <dl className={`stack gap-12 ${css.figures}`}>
            <Figure name={t('dashboard.due')} text={t('dashboard.dueText')}>
              {number.format(settlement.due)}
              {settlement.oldestDueAt !== null && `, ${age(house.time - settlement.oldestDueAt)}`}
            </Figure>
            <Figure name={t('dashboard.open')} text={t('dashboard.openText')}>
              {number.format(settlement.open)}
            </Figure>
            <Figure
              name={t('dashboard.delay')}
              text={t('dashboard.delayText', { n: settlement.settledLately })}
            >
              {delay(settlement.delayP50)} / {delay(settlement.delayP99)}
            </Figure>
            <Figure name={t('dashboard.voids')} text={t('dashboard.voidsText')}>
              {list(voids)}
            </Figure>
          </dl>
        </Card>
      </section>
      <section className="section">
        <h2>{t('dashboard.log')}</h2>
        <Card className={css.card ?? ''}>
          <dl className={`stack gap-12 ${css.figures}`}>
            <Figure name={t('dashboard.silence')} text={t('dashboard.silenceText')}>
              {age(log.silenceMs)}
              {!log.hasWriter && `, ${t('dashboard.noWriter')}`}
            </Figure>
            <Figure name={t('dashboard.checkpoint')} text={t('dashboard.checkpointText')}>
              {log.checkpointAt === null ? t('shell.never') : age(house.time - log.checkpointAt)}
            </Figure>
            <Figure name={t('dashboard.batches')} text={t('dashboard.batchesText')}>
              {number.format(log.batchesWaiting)}
            </Figure>
            <Figure name={t('dashboard.gaps')} text={t('dashboard.gapsText', { n: log.products })}>
              {list(gaps)}
            </Figure>
            <Figure name={t('dashboard.oldestPrice')} text={t('dashboard.oldestPriceText')}>
              {log.oldestPrice === null ? '–' : `${log.oldestPrice.symbol}, ${age(log.oldestPrice.age)}`}
            </Figure>
            <Figure name={t('dashboard.sizes')} text={t('dashboard.sizesText')}>
              {number.format(log.size)} / {number.format(log.auditSize)}
            </Figure>
          </dl>
        </Card>
      </section>
    </div>
  );
}

function Figure({ name, text, children }: { name: string; text: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd className={css.meaning}>{text}</dd>
    </div>
  );
}
