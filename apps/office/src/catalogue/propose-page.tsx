import { Segments } from '@fairtick/ui';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, buttonsClass, FormFault, TextField, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import css from './catalogue.module.css';
import { DifferenceText } from './difference-text.tsx';
import { FeedFields } from './feed-fields.tsx';
import { PayoutFields } from './payout-fields.tsx';
import { type Draft, differencesOf, draftOf, type Kind, type Patch, patchOf } from './propose-model.ts';
import { pathOf, type Rules, refreshCatalogue, useProduct } from './queries.ts';

/** Lead time for a colleague's approval and the longest cycle, with some to spare. */
const LEAD_MS = 2 * 3_600_000;
/** The database refuses an effective time that is nearer than this. */
const LEAST_LEAD_MS = 75 * 60_000;
const KINDS = ['payout_table', 'feed_rules', 'product_end'] as const;

/** Proposes new rules, starting from those of one product. Typed text stays after a failure. */
export function ProposePage({ symbol }: { symbol: string }) {
  const { t } = useText();
  const product = useProduct(symbol);
  const rules = product.data?.rules;
  return (
    <div className="page linked">
      <p>
        <Link href={`/product/${pathOf(symbol)}`}>← {symbol}</Link>
      </p>
      <h1>{t('catalogue.propose')}</h1>
      {rules ? (
        <ProposeForm key={symbol} symbol={symbol} rules={rules} />
      ) : (
        <p role="status">{t(product.isError ? 'shell.networkError' : 'shell.loading')}</p>
      )}
    </div>
  );
}

type Scope = 'one' | 'all' | 'some';

function ProposeForm({ symbol, rules }: { symbol: string; rules: Rules }) {
  const { t, word, tag } = useText();
  const [, go] = useLocation();
  // The rules may change while the form is open: the patch is computed against those that the form started from.
  const [base] = useState(rules);
  const [kind, setKind] = useState<Kind>('payout_table');
  const [draft, setDraft] = useState<Draft>(() => draftOf(rules));
  const [scope, setScope] = useState<Scope>('one');
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const patch = patchOf(kind, draft, base);
  const form = useForm({
    values: { symbols: symbol, note: '', effectiveAt: localMinute(Date.now() + LEAD_MS) },
    check: () => {
      if (patch.kind !== 'fault') return {};
      return { rules: t('catalogue.unreadable', { part: word('part', patch.part) }) };
    },
  });
  const { symbols, note, effectiveAt } = form.values;
  const named = { one: symbol, all: '', some: symbols.replaceAll(/\s/g, '').toUpperCase() }[scope];
  const send = async () => {
    if (patch.kind !== 'patch') return;
    const { id } = await post('catalogue/propose', {
      kind,
      symbols: named,
      rules: JSON.stringify(patch.rules),
      effectiveAt: new Date(effectiveAt).getTime(),
      note,
    });
    useToast.getState().show(t('catalogue.sent'));
    await refreshCatalogue();
    go(`/change/${id}`);
  };
  return (
    <form className={`stack gap-16 ${css.form}`} onSubmit={form.onSubmit(send)}>
      <div className="stack gap-6">
        <span className="secondary" aria-hidden="true">
          {t('catalogue.appliesTo')}
        </span>
        <Segments
          label={t('catalogue.appliesTo')}
          name="scope"
          value={scope}
          choices={[
            { value: 'one', label: symbol },
            { value: 'some', label: t('catalogue.some') },
            { value: 'all', label: t('catalogue.all') },
          ]}
          onChange={setScope}
        />
      </div>
      {scope === 'some' && (
        <TextField
          label={t('catalogue.symbols')}
          hint={t('catalogue.symbolsHint')}
          {...form.field('symbols')}
          required={false}
        />
      )}
      <div className="stack gap-6">
        <span className="secondary" aria-hidden="true">
          {t('catalogue.kind')}
        </span>
        <Segments
          label={t('catalogue.kind')}
          name="kind"
          value={kind}
          choices={KINDS.map((value) => ({ value, label: word('rule', value) }))}
          onChange={setKind}
        />
      </div>
      {kind === 'payout_table' && <PayoutFields draft={draft} rules={base} onChange={change} />}
      {kind === 'feed_rules' && <FeedFields draft={draft} rules={base} onChange={change} />}
      {kind === 'product_end' && (
        <TextField
          label={t('part.lastDay')}
          hint={t('catalogue.lastDayHint')}
          type="date"
          value={draft.lastDay}
          onChange={(event) => change({ lastDay: event.target.value })}
        />
      )}
      <div className={css.filters}>
        <TextField
          label={t('catalogue.from')}
          hint={t('catalogue.fromHint', { first: formatTime(Date.now() + LEAST_LEAD_MS, tag).slice(0, 16) })}
          type="datetime-local"
          {...form.field('effectiveAt')}
        />
        <TextField
          label={t('catalogue.note')}
          hint={t('form.required')}
          maxLength={500}
          {...form.field('note')}
        />
      </div>
      <p className={css.quiet}>{t('catalogue.proposeText')}</p>
      <Summary patch={patch} rules={base} />
      <FormFault text={form.faultOf('rules') ?? form.fault} />
      <div className={buttonsClass}>
        <Action type="submit" look="gold" disabled={form.isBusy || patch.kind === 'nothing'}>
          {t('staff.propose')}
        </Action>
      </div>
    </form>
  );
}

/** Lists the values that the proposal changes, beside the button that sends it. */
function Summary({ patch, rules }: { patch: Patch; rules: Rules }) {
  const { t } = useText();
  if (patch.kind === 'fault') return null;
  if (patch.kind === 'nothing') return <p className={css.unchanged}>{t('catalogue.nothing')}</p>;
  return (
    <ul className={`flex justify-end wrap strong ${css.summary}`} aria-label={t('catalogue.differs')}>
      {differencesOf(patch.rules, rules).map((difference) => (
        <li key={difference.path}>
          <DifferenceText {...difference} />
        </li>
      ))}
    </ul>
  );
}

/** Formats a moment for `datetime-local`, in the reader's zone, in whole minutes. */
function localMinute(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
