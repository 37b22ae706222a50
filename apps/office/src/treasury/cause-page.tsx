import { endingOf, stateText } from '@fairtick/protocol/request-states';
import { Fact, Facts, Notice } from '@fairtick/ui';
import { Link } from 'wouter';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import { readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { useCauseText } from './parts.tsx';
import { PostingsTable, rowsOf } from './postings-table.tsx';
import { useCause } from './queries.ts';
import css from './treasury.module.css';

const AMOUNTS: ReadonlySet<string> = new Set([
  'stake',
  'income',
  'credited',
  'amount',
  'fee',
  'found',
  'arrives',
]);
type Word = ReturnType<typeof useText>['word'];
/** Turns our own names in values into words. */
const WORDS: Readonly<Record<string, (word: Word, value: string) => string>> = {
  'order status': (word, value) => word('orderResult', value),
  'order direction': (word, value) => word('direction', value),
  'order voidReason': (word, value) => word('voidReason', value),
  'deposit reason': (word, value) => word('reason', value),
  'withdrawal reason': (word, value) => word('reason', value),
  'correction status': (word, value) => word('change', value),
};

const reasonOf = (cause: ReturnType<typeof useCause>['data']): string | null => {
  const reason = cause?.facts.find(({ name }) => name === 'reason')?.value;
  return typeof reason === 'string' ? reason : null;
};

/** A cause and all the transfers that it made. */
export function CausePage({ of }: { of: string }) {
  const text = useText();
  const { t, word, language } = text;
  const causeText = useCauseText();
  const cause = useCause(of);
  const kind = of.split(':')[0] as string;
  const show = ({ name, value }: { name: string; value: string | number }) => {
    if (typeof value === 'number') return formatTime(value);
    if (AMOUNTS.has(name)) return readable(value);
    if (name === 'status' && (kind === 'deposit' || kind === 'withdrawal'))
      return stateText(value, endingOf(reasonOf(cause.data)), language);
    return WORDS[`${kind} ${name}`]?.(word, value) ?? value;
  };
  return (
    <div className={`page ${css.page}`}>
      <p className={css.back}>
        <Link href="~/ledger">← {t('page.ledger')}</Link>
      </p>
      <h1>{causeText(of)}</h1>
      {cause.isError && <Notice look="bad">{faultText(cause.error, text) ?? ''}</Notice>}
      {cause.isPending && <p className="note">{t('shell.loading')}</p>}
      {cause.data && (
        <>
          <Facts className={`box ${css.facts}`}>
            {cause.data.customer !== null && (
              <Fact name={t('review.customer')}>
                <Link href={`~/customers/${cause.data.customer.id}`}>
                  {cause.data.customer.account} ({cause.data.customer.id})
                </Link>
              </Fact>
            )}
            {cause.data.facts.map((fact) => (
              <Fact key={fact.name} name={word('fact', fact.name)}>
                {show(fact)}
              </Fact>
            ))}
          </Facts>
          <h2>{t('ledger.itsMovements')}</h2>
          <PostingsTable
            caption={t('ledger.itsMovements')}
            list={rowsOf(cause.data.transfers)}
            none={t('ledger.nothingYet')}
          />
        </>
      )}
    </div>
  );
}
