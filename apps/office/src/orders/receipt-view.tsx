import { Stamp } from '@fairtick/ui';
import { Checks, isProved, Limits, ReceiptRecords, Story, verifyByFirstKeys } from '@fairtick/ui/receipt';
import { use, useMemo } from 'react';
import { useText } from '../messages/text-context.tsx';
import { readStored, store } from '../state/settings.ts';
import css from './orders.module.css';
import type { OrderCase } from './queries.ts';
import { receiptTextOf } from './receipt-texts.ts';

type Receipt = NonNullable<OrderCase['receipt']>;

/** The log's first keys as this browser saw them first. Signatures of another log then fail. */
function firstKeys({ origin, ranges, ...current }: OrderCase['keys']) {
  const name = `log ${origin}` as const;
  const told = {
    log: ranges.checkpoints[0]?.key ?? current.checkpoints,
    acceptances: ranges.acceptances[0]?.key ?? current.acceptances,
  };
  const [log, acceptances] = readStored(name)?.split(' ') ?? [];
  if (log !== undefined && acceptances !== undefined) return { keys: { log, acceptances }, isFirst: false };
  store(name, `${told.log} ${told.acceptances}`);
  return { keys: told, isFirst: true };
}

/** The receipt, verified in this browser: the prices that decided, what proves them, and what does not follow from it. */
export default function ReceiptView({ receipt, keys }: { receipt: Receipt; keys: OrderCase['keys'] }) {
  const { t, language } = useText();
  const text = use(receiptTextOf(language));
  const { isFirst, verified } = useMemo(() => {
    const known = firstKeys(keys);
    return { isFirst: known.isFirst, verified: verifyByFirstKeys(receipt, known.keys) };
  }, [receipt, keys]);
  const isValid = isProved(verified);
  return (
    <div className={css.receipt}>
      <h3 data-testid="verdict">
        <Stamp size={20} isChecked={isValid} />
        {text.t(isValid ? 'receipt.valid' : 'receipt.wrong')}
      </h3>
      <Story verified={verified} text={text} />
      <ReceiptRecords receipt={receipt} part="opening" text={text} />
      <ReceiptRecords receipt={receipt} part="settling" text={text} />
      <details open={!isValid}>
        <summary>{text.t('receipt.allChecks')}</summary>
        <Checks verified={verified} text={text} />
      </details>
      <Limits verified={verified} text={text} />
      <p className="caption">
        {text.t(isFirst ? 'receipt.keysFirst' : 'receipt.keysKnown')} {t('order.notScanned')}
      </p>
      <details>
        <summary>{t('order.entries')}</summary>
        {receipt.entries.map(({ role, index, entry }) => (
          <p key={`${role} ${index}`}>
            <code translate="no">{`#${index} ${entry}`}</code>
          </p>
        ))}
      </details>
    </div>
  );
}
