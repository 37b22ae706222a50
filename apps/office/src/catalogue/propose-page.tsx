import { Segments } from '@fairtick/ui';
import { type ComponentProps, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { FormEnd, TextField, useForm } from '../shell/form.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { formatTime, localMinute } from '../state/format.ts';
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
  const { data, error } = useProduct(symbol);
  return (
    <div className="page linked">
      <p>
        <Link href={`/product/${pathOf(symbol)}`}>← {symbol}</Link>
      </p>
      <h1>{t('catalogue.propose')}</h1>
      <Loaded query={{ data: data?.rules ?? undefined, error }}>
        {(rules) => <ProposeForm key={symbol} symbol={symbol} rules={rules} />}
      </Loaded>
    </div>
  );
}

type Scope = 'one' | 'all' | 'some';

/** The proposal that is being written, and how it is sent. */
function useProposal(symbol: string, rules: Rules) {
  const { t, word } = useText();
  const [, go] = useLocation();
  // The rules may change while the form is open: the patch is computed against those that the form started from.
  const [base] = useState(rules);
  const [kind, setKind] = useState<Kind>('payout_table');
  const [draft, setDraft] = useState<Draft>(() => draftOf(rules));
  const [scope, setScope] = useState<Scope>('one');
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
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  return {
    form,
    send,
    kind,
    setKind,
    scope,
    setScope,
    patch,
    fields: { draft, rules: base, onChange: change },
  };
}

function ProposeForm({ symbol, rules }: { symbol: string; rules: Rules }) {
  const { t, word } = useText();
  const { form, send, kind, setKind, scope, setScope, patch, fields } = useProposal(symbol, rules);
  return (
    <form className={`stack gap-16 ${css.form}`} onSubmit={form.onSubmit(send)}>
      <Chooser
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
      {scope === 'some' && (
        <TextField
          label={t('catalogue.symbols')}
          hint={t('catalogue.symbolsHint')}
          {...form.field('symbols')}
          required={false}
        />
      )}
      <Chooser
        label={t('catalogue.kind')}
        name="kind"
        value={kind}
        choices={KINDS.map((value) => ({ value, label: word('rule', value) }))}
        onChange={setKind}
      />
      {kind === 'payout_table' && <PayoutFields {...fields} />}
      {kind === 'feed_rules' && <FeedFields {...fields} />}
      {kind === 'product_end' && (
        <TextField
          label={t('part.lastDay')}
          hint={t('catalogue.lastDayHint')}
          type="date"
          value={fields.draft.lastDay}
          onChange={(event) => fields.onChange({ lastDay: event.target.value })}
        />
      )}
      <div className={css.filters}>
        <TextField
          label={t('catalogue.from')}
          hint={t('catalogue.fromHint', { first: formatTime(Date.now() + LEAST_LEAD_MS).slice(0, 16) })}
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
      <Summary patch={patch} rules={fields.rules} />
      <FormEnd
        form={{ ...form, fault: form.faultOf('rules') ?? form.fault }}
        disabled={patch.kind === 'nothing'}
      >
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}

/** A choice among a few, with its label before it. */
function Chooser<T extends string>(props: ComponentProps<typeof Segments<T>>) {
  return (
    <div className="stack gap-6">
      <span className="secondary" aria-hidden="true">
        {props.label}
      </span>
      <Segments {...props} />
    </div>
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
