import { Card } from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
import type { MessageId } from '../messages/text.ts';
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
      <Figures
        title={t('dashboard.settlement')}
        of={settlement.settledLately}
        figures={{
          due: [
            number.format(settlement.due),
            ...(settlement.oldestDueAt === null ? [] : [age(house.time - settlement.oldestDueAt)]),
          ].join(', '),
          open: number.format(settlement.open),
          delay: `${delay(settlement.delayP50)} / ${delay(settlement.delayP99)}`,
          voids: list(voids),
        }}
      />
      <Figures
        title={t('dashboard.log')}
        of={log.products}
        figures={{
          silence: age(log.silenceMs) + (log.hasWriter ? '' : `, ${t('dashboard.noWriter')}`),
          checkpoint: log.checkpointAt === null ? t('shell.never') : age(house.time - log.checkpointAt),
          batches: number.format(log.batchesWaiting),
          gaps: list(gaps),
          oldestPrice: log.oldestPrice ? `${log.oldestPrice.symbol}, ${age(log.oldestPrice.age)}` : '–',
          sizes: `${number.format(log.size)} / ${number.format(log.auditSize)}`,
        }}
      />
    </div>
  );
}

/** Figures by the names of their texts; some texts say of how many (`of`) a figure is. */
function Figures(props: { title: string; of: number; figures: Readonly<Record<string, string>> }) {
  const { word, t } = useText();
  return (
    <section className="section">
      <h2>{props.title}</h2>
      <Card className={css.card ?? ''}>
        <dl className={`stack gap-12 ${css.figures}`}>
          {Object.entries(props.figures).map(([name, figure]) => (
            <div key={name}>
              <dt>{word('dashboard', name)}</dt>
              <dd>{figure}</dd>
              <dd className={css.meaning}>{t(`dashboard.${name}Text` as MessageId, { n: props.of })}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </section>
  );
}
