import type { Destination } from '@fairtick/protocol';
import { CheckIcon, Fact, Facts, Notice, Tag } from '@fairtick/ui';
import type { MessageId } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { formatMoment } from '../../state/format.ts';
import parts from '../parts/parts.module.css';
import css from './withdrawal.module.css';

type FactName = Destination['facts'][number]['name'];

const FACT_TEXTS: Readonly<Record<FactName, MessageId>> = {
  network: 'withdrawal.fact.network',
  address: 'withdrawal.fact.address',
  holder: 'deposit.holder',
  bank: 'deposit.bank',
  branch: 'deposit.branch',
  country: 'withdrawal.fact.country',
  bankCode: 'withdrawal.fact.bankCode',
  number: 'withdrawal.fact.number',
};

/** All of where the money goes, and what of it differs from the last payout of the asset. */
export function PaysTo({ destination }: { destination: Destination }) {
  const { t } = useText();
  const changed = destination.lastPayout?.changed ?? [];
  return (
    <section className={css.paysTo} aria-label={t('withdrawal.paysTo')}>
      <Facts columns={1}>
        {destination.facts.map(({ name, value }) => (
          <Fact key={name} name={t(FACT_TEXTS[name])}>
            <FactValue name={name} value={value} />
            {changed.includes(name) && <Tag look="warn">{t('withdrawal.changed')}</Tag>}
          </Fact>
        ))}
      </Facts>
      <SinceLast destination={destination} />
    </section>
  );
}

function FactValue({ name, value }: { name: FactName; value: string }) {
  const { t, tag } = useText();
  if (name === 'address' || name === 'number') return <CodeText text={value} what={t(FACT_TEXTS[name])} />;
  if (name === 'country') return new Intl.DisplayNames([tag], { type: 'region' }).of(value) ?? value;
  return <span translate="no">{value}</span>;
}

function SinceLast({ destination: { asset, lastPayout } }: { destination: Destination }) {
  const { t, tag } = useText();
  if (!lastPayout) return <p className={parts.remark}>{t('withdrawal.firstPayout', { asset })}</p>;
  const values = { time: formatMoment(lastPayout.paidAt, tag), label: lastPayout.label };
  if (lastPayout.changed.length > 0)
    return (
      <div className="mt-12">
        <Notice look="warn">{t('withdrawal.otherThanLast', values)}</Notice>
      </div>
    );
  return (
    <p className={parts.remark}>
      <CheckIcon size={16} />
      <span>{t('withdrawal.sameAsLast', values)}</span>
    </p>
  );
}
