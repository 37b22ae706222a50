import type { CycleOutcome, PublicStatistics } from '@fairtick/protocol';
import { useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { FEW, formatCount, formatPublic, formatShare } from '../state/format.ts';
import { Fact, Section, Table } from './section.tsx';
import css from './transparency.module.css';

const PARTS = ['won', 'lost', 'tied', 'void'] as const;
const SHOWN = 8;

const edge = (rate: string | null): string => (rate === null ? '–' : formatShare(Number(rate), 1));
/** Whether a realised edge would say nothing yet. */
const hasFew = ({ won, lost, tied }: CycleOutcome): boolean => won + lost + tied < FEW;

export function Outcomes({ statistics }: { statistics: PublicStatistics }) {
  const { t } = useText();
  const { outcomes, practice } = statistics;
  const isEmpty = outcomes.products.length === 0;
  // A demo may have practice orders only: they are shown and labelled as such.
  const shown = isEmpty && practice ? practice : outcomes;
  const all = PARTS.reduce((sum, part) => sum + shown[part], 0);
  return (
    <Section
      id="outcomes"
      title={t('open.outcomes')}
      note={shown === practice ? t('open.practice') : t('open.outcomesNote')}
    >
      {all === 0 ? (
        <p className="note">{t('open.noOrders')}</p>
      ) : (
        <>
          <Shares outcome={shown} all={all} />
          <div className={css.columns}>
            <Voids outcome={shown} />
            <Losers losers={shown.losers} />
          </div>
          <VoidReasons voids={shown.voids} />
          <Products products={shown.products} />
        </>
      )}
    </Section>
  );
}

type Outcome = PublicStatistics['outcomes'];

function Shares({ outcome, all }: { outcome: Outcome; all: number }) {
  const { t } = useText();
  const isFew = all < FEW;
  return (
    <div className={`card p-16 ${css.card}`}>
      <div className={`flex gap-2 mb-16 ${css.bar}`} aria-hidden="true">
        {PARTS.filter((part) => outcome[part] > 0).map((part) => (
          <i className="min-0" key={part} data-part={part} style={{ flexGrow: outcome[part] }} />
        ))}
      </div>
      <dl className={css.figures}>
        {PARTS.map((part) => (
          <div key={part} data-part={part}>
            <dt className="caption">{t(`open.${part}`)}</dt>
            <dd>{isFew ? formatCount(outcome[part]) : formatShare(outcome[part] / all, 1)}</dd>
            {!isFew && (
              <dd>
                <small>{t('open.orders', { count: formatCount(outcome[part]) })}</small>
              </dd>
            )}
          </div>
        ))}
      </dl>
      {isFew && <p className={`note ${css.note}`}>{t('open.few', { count: FEW })}</p>}
      {outcome.unpriced > 0 && (
        <p className={`note ${css.note}`}>{t('open.unpriced', { count: formatCount(outcome.unpriced) })}</p>
      )}
      {outcome.corrected > 0 && (
        <p className={`note ${css.note}`}>{t('open.corrected', { count: formatCount(outcome.corrected) })}</p>
      )}
    </div>
  );
}

function Voids({ outcome }: { outcome: Outcome }) {
  const { t } = useText();
  return (
    <div className={`card p-16 ${css.card}`}>
      <h3>{t('open.voids')}</h3>
      <dl className={css.facts}>
        <Fact name={t('open.voidWon')}>{formatCount(outcome.voidWon)}</Fact>
        <Fact name={t('open.voidLost')}>{formatCount(outcome.voidLost)}</Fact>
        <Fact name={t('open.voidTied')}>{formatCount(outcome.voidTied)}</Fact>
      </dl>
      <p className={`note ${css.note}`}>{t('open.voidsNote')}</p>
    </div>
  );
}

/** Voids by reason: what was returned, and what the orders would have paid at the prices of their times. */
function VoidReasons({ voids }: { voids: Outcome['voids'] }) {
  const { t } = useText();
  if (voids.length === 0) return null;
  return (
    <Table
      caption={t('open.voidReasons')}
      columns={[
        [
          t('open.reason'),
          ({ reason, asset }) => (
            <>
              {t(`orders.void.${reason}`)} <small>{asset}</small>
            </>
          ),
        ],
        [t('open.voidCount'), ({ count }) => formatCount(count)],
        [t('open.won'), ({ won }) => formatCount(won), 'wide'],
        [t('open.lost'), ({ lost }) => formatCount(lost), 'wide'],
        [t('open.voidReturned'), ({ returned }) => formatPublic(returned)],
        [t('open.voidPaid'), ({ wouldHavePaid }) => formatPublic(wouldHavePaid)],
      ]}
      rows={voids}
      keyOf={({ reason, asset }) => `${reason} ${asset}`}
    />
  );
}

function Losers({ losers }: { losers: Outcome['losers'] }) {
  const { t } = useText();
  return (
    <div className={`card p-16 ${css.card}`}>
      <h3>{t('open.losers')}</h3>
      <dl className={css.facts}>
        {losers.map(({ asset, customers, lost }) => (
          <Fact key={asset} name={asset}>
            {t('open.losersOf', {
              share: customers < FEW ? formatCount(lost) : formatShare(lost / customers, 1),
              count: formatCount(customers),
            })}
          </Fact>
        ))}
      </dl>
      <p className={`note ${css.note}`}>{t('open.losersNote')}</p>
    </div>
  );
}

function Products({ products }: { products: readonly CycleOutcome[] }) {
  const { t } = useText();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? products : products.slice(0, SHOWN);
  return (
    <Table
      caption={t('open.byProduct')}
      columns={[
        [
          t('open.product'),
          ({ symbol, minutes }) => (
            <>
              {symbol} <small>{t('open.minutes', { count: minutes })}</small>
            </>
          ),
        ],
        [t('open.won'), ({ won }) => formatCount(won)],
        [t('open.lost'), ({ lost }) => formatCount(lost)],
        [t('open.tied'), ({ tied }) => formatCount(tied), 'wide'],
        [t('open.void'), (row) => formatCount(row.void), 'wide'],
        [t('open.stated'), ({ statedEdge }) => edge(statedEdge)],
        [t('open.realised'), (row) => (hasFew(row) ? '–' : edge(row.realisedEdge))],
      ]}
      rows={shown}
      keyOf={({ symbol, minutes }) => `${symbol} ${minutes}`}
    >
      {shown.some(hasFew) && <p className={`note ${css.note}`}>{t('open.few', { count: FEW })}</p>}
      {shown.length < products.length && (
        <button type="button" className={css.more} onClick={() => setWhole(true)}>
          {t('open.more', { count: products.length - shown.length })}
        </button>
      )}
    </Table>
  );
}
