import type { CycleOutcome, PublicStatistics } from '@fairtick/protocol';
import { useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { VOID_TEXTS } from '../orders/order-words.ts';
import { FEW, formatCount, formatPublic, formatShare, trimmed } from '../state/format.ts';
import { Section } from './section.tsx';
import css from './transparency.module.css';

const PARTS = ['won', 'lost', 'tied', 'void'] as const;
/** Number of rows shown at first. */
const SHOWN = 8;

const edge = (rate: string | null): string => (rate === null ? '–' : formatShare(Number(rate), 1));
/** Whether a realised edge would say nothing yet. */
const hasFew = ({ won, lost, tied }: CycleOutcome): boolean => won + lost + tied < FEW;

/** Results of orders, and the house's share of the stakes. */
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
    <div className={`card ${css.card}`}>
      <div className={css.bar} aria-hidden="true">
        {PARTS.filter((part) => outcome[part] > 0).map((part) => (
          <i key={part} data-part={part} style={{ flexGrow: outcome[part] }} />
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
    <div className={`card ${css.card}`}>
      <h3>{t('open.voids')}</h3>
      <dl className={css.facts}>
        <div>
          <dt>{t('open.voidWon')}</dt>
          <dd>{formatCount(outcome.voidWon)}</dd>
        </div>
        <div>
          <dt>{t('open.voidLost')}</dt>
          <dd>{formatCount(outcome.voidLost)}</dd>
        </div>
        <div>
          <dt>{t('open.voidTied')}</dt>
          <dd>{formatCount(outcome.voidTied)}</dd>
        </div>
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
    <div className={`card ${css.list}`}>
      <table className={css.table}>
        <caption>{t('open.voidReasons')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('open.reason')}</th>
            <th scope="col">{t('open.voidCount')}</th>
            <th scope="col" data-wide="">
              {t('open.won')}
            </th>
            <th scope="col" data-wide="">
              {t('open.lost')}
            </th>
            <th scope="col">{t('open.voidReturned')}</th>
            <th scope="col">{t('open.voidPaid')}</th>
          </tr>
        </thead>
        <tbody>
          {voids.map((row) => (
            <tr key={`${row.reason} ${row.asset}`}>
              <th scope="row">
                {t(VOID_TEXTS[row.reason])} <small>{row.asset}</small>
              </th>
              <td>{formatCount(row.count)}</td>
              <td data-wide="">{formatCount(row.won)}</td>
              <td data-wide="">{formatCount(row.lost)}</td>
              <td translate="no">{formatPublic(trimmed(row.returned))}</td>
              <td translate="no">{formatPublic(trimmed(row.wouldHavePaid))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Losers({ losers }: { losers: Outcome['losers'] }) {
  const { t } = useText();
  return (
    <div className={`card ${css.card}`}>
      <h3>{t('open.losers')}</h3>
      <dl className={css.facts}>
        {losers.map(({ asset, customers, lost }) => (
          <div key={asset}>
            <dt>{asset}</dt>
            <dd>
              {t('open.losersOf', {
                share: customers < FEW ? formatCount(lost) : formatShare(lost / customers, 1),
                count: formatCount(customers),
              })}
            </dd>
          </div>
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
    <div className={`card ${css.list}`}>
      <table className={css.table}>
        <caption>{t('open.byProduct')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('open.product')}</th>
            <th scope="col">{t('open.won')}</th>
            <th scope="col">{t('open.lost')}</th>
            <th scope="col" data-wide="">
              {t('open.tied')}
            </th>
            <th scope="col" data-wide="">
              {t('open.void')}
            </th>
            <th scope="col">{t('open.stated')}</th>
            <th scope="col">{t('open.realised')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={`${row.symbol} ${row.minutes}`}>
              <th scope="row">
                {row.symbol} <small>{t('open.minutes', { count: row.minutes })}</small>
              </th>
              <td>{formatCount(row.won)}</td>
              <td>{formatCount(row.lost)}</td>
              <td data-wide="">{formatCount(row.tied)}</td>
              <td data-wide="">{formatCount(row.void)}</td>
              <td>{edge(row.statedEdge)}</td>
              <td>{hasFew(row) ? '–' : edge(row.realisedEdge)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.some(hasFew) && <p className={`note ${css.note}`}>{t('open.few', { count: FEW })}</p>}
      {shown.length < products.length && (
        <button type="button" className={css.more} onClick={() => setWhole(true)}>
          {t('open.more', { count: products.length - shown.length })}
        </button>
      )}
    </div>
  );
}
