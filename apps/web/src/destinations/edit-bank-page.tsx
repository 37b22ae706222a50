import type { UserInfo } from '@fairtick/protocol';
import {
  Button,
  buttonClass,
  ClockIcon,
  Empty,
  FaultNote,
  FileIcon,
  LockIcon,
  Notice,
  Segments,
} from '@fairtick/ui';
import { useId, useMemo, useRef, useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import css from '../account/account.module.css';
import { NetworkError, post, RefusedError } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { CountryField } from '../parts/country-field.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Check, Failure, Remark, SendForm, TextField } from '../parts/form-parts.tsx';
import { pageOf } from '../parts/page.tsx';
import { useForm } from '../parts/use-form.ts';
import { Link } from '../shell/link.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import { useSession } from '../state/session.ts';
import { afterChange } from './after-change.ts';
import {
  type BankCardForm,
  EMPTY_CARD,
  errors,
  groupedIn,
  numberTyped,
  ofKind,
  summarise,
} from './bank-card-model.ts';
import own from './destinations.module.css';

type Card = UserInfo['banks'][number];

/** `/editBank`: adds a card or an account; with `?id=` edits a bound one. */
export default pageOf('identity', EditBank);

function EditBank() {
  const { t } = useText();
  const id = new URLSearchParams(useSearch()).get('id');
  const card = useSession((state) => state.userInfo?.banks.find((bank) => bank.id === id));
  if (id !== null && !card)
    return (
      <Empty icon={<FileIcon size={28} />} title={t('card.gone')}>
        <Link href="/bank" className={`mt-12 ${buttonClass}`} data-look="line" data-size="small">
          {t('title.bank')}
        </Link>
      </Empty>
    );
  return <CardForm key={id} card={card ?? null} />;
}

function CardForm({ card }: { card: Card | null }) {
  const { t } = useText();
  const title = card ? `•••• ${card.last4}` : t('card.new');
  useNavbar(useMemo(() => ({ title }), [title]));
  // Set after a lost answer: the card may already be bound.
  const mayBeThere = useRef(false);
  const form = useForm({ values: card ? formOf(card) : EMPTY_CARD, shows: 'all', check: errors });
  const summary = summarise(form.values);
  const isAccount = form.values.kind === 'account';
  const send = async () => {
    try {
      await post('user/setBank', { id: card?.id, ...summary.fields });
    } catch (error) {
      const isThere = mayBeThere.current && error instanceof RefusedError && error.code === 'CARD_BOUND';
      if (error instanceof NetworkError) mayBeThere.current = true;
      if (!isThere) throw error;
    }
    await afterChange(t('shell.modified'), '/bank');
  };
  return (
    <div className="page">
      <p className={`secondary ${css.lead}`}>{card ? t('card.changeLead') : t('card.lead')}</p>
      <SendForm
        form={form}
        send={send}
        button={t('account.save')}
        busy={t('form.saving')}
        top={24}
        end={card && <RemoveCard card={card} />}
      >
        <Segments
          label={t('card.kind')}
          name="kind"
          value={form.values.kind}
          choices={[
            { value: 'card', label: t('card.kindCard') },
            { value: 'account', label: t('card.kindAccount') },
          ]}
          onChange={(kind) => {
            // The other kind has other rules.
            form.clear('branch');
            form.set(ofKind(kind));
          }}
        />
        <BankFields form={form} needsCode={summary.needsCode} />
        <NumberField form={form} summary={summary} isChange={card !== null} />
        <Remark icon={<LockIcon size={20} />}>{t(isAccount ? 'account.privacy' : 'card.privacy')}</Remark>
        <Remark icon={<ClockIcon size={20} />}>{t('hold.starts')}</Remark>
      </SendForm>
    </div>
  );
}

type Form = ReturnType<typeof useForm<BankCardForm>>;

function BankFields({ form, needsCode }: { form: Form; needsCode: boolean }) {
  const { t } = useText();
  const isAccount = form.values.kind === 'account';
  const text = (field: 'holder' | 'bank' | 'branch' | 'bankCode') => ({
    ...form.field(field),
    maxLength: 100,
  });
  return (
    <>
      {isAccount && (
        <CountryField
          label={t('account.country')}
          {...form.field('country')}
          onChange={(country) => {
            form.clear('bankCode', 'cardNumber');
            form.set({ country });
          }}
        />
      )}
      <TextField
        label={t('card.holder')}
        hint={t('card.holderHint')}
        autoComplete="cc-name"
        {...text('holder')}
      />
      <TextField label={t('card.bank')} {...text('bank')} />
      <TextField label={isAccount ? t('account.branch') : t('card.branch')} {...text('branch')} />
      {needsCode && (
        <TextField label={t('account.bankCode')} hint={t('account.bankCodeHint')} {...text('bankCode')} />
      )}
    </>
  );
}

function NumberField(props: { form: Form; summary: ReturnType<typeof summarise>; isChange: boolean }) {
  const { t } = useText();
  const { form, summary, isChange } = props;
  const isAccount = form.values.kind === 'account';
  return (
    <div>
      <TextField
        label={t(summary.needsIban ? 'account.iban' : isAccount ? 'account.number' : 'card.number')}
        hint={isChange ? t('card.numberAgain') : isAccount ? undefined : t('card.numberHint')}
        {...form.field('cardNumber')}
        maxLength={64}
        inputMode={summary.needsIban ? 'text' : 'numeric'}
        autoComplete={isAccount ? 'off' : 'cc-number'}
        onChange={(typed) => form.set(numberTyped(form.values, typed))}
        onBlur={() => {
          const cardNumber = groupedIn(form.values);
          if (cardNumber !== form.values.cardNumber) form.set({ cardNumber });
        }}
      />
      {summary.understood !== null && (
        <div className={`mt-10 py-10 px-14 ${own.under}`} role="status">
          <p>{t('account.compare')}</p>
          <CodeText text={summary.understood} what={t('account.iban')} />
        </div>
      )}
      {summary.isUnusual && (
        <Unusual
          isChecked={form.values.checked}
          fault={form.faultOf('checked')}
          onChange={(checked) => form.set({ checked })}
        />
      )}
    </div>
  );
}

const formOf = ({ holder, bank, branch, country = '', bankCode = '' }: Card): BankCardForm => ({
  ...EMPTY_CARD,
  ...{ holder, bank, branch, country, bankCode },
  kind: country === '' ? 'card' : 'account',
});

function Unusual(props: { isChecked: boolean; fault: string | null; onChange: (is: boolean) => void }) {
  const { t } = useText();
  const id = useId();
  return (
    <div className="stack gap-12 mt-10">
      <Notice>{t('card.unusual')}</Notice>
      <Check isChecked={props.isChecked} faultId={props.fault ? id : undefined} onChange={props.onChange}>
        {t('card.checked')}
      </Check>
      {props.fault && <FaultNote id={id}>{props.fault}</FaultNote>}
    </div>
  );
}

function RemoveCard({ card }: { card: Card }) {
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  const form = useForm({ shows: 'all' });
  const remove = async () => {
    try {
      await post('user/removeBank', { id: card.id });
    } catch (error) {
      // Already removed, here or elsewhere: this counts as success.
      if (!(error instanceof RefusedError) || error.code !== 'CARD_NOT_FOUND') throw error;
    }
    setOpen(false);
    await afterChange(t('shell.modified'), '/bank');
  };
  return (
    <>
      <button type="button" className="bad touch title-15" onClick={() => setOpen(true)}>
        {t(card.country === undefined ? 'card.remove' : 'account.remove')}
      </button>
      <Dialog
        title={t(card.country === undefined ? 'card.removeTitle' : 'account.removeTitle')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        <p className="secondary">{t('card.removeText', { bank: card.bank, last4: card.last4 })}</p>
        <div className="stack gap-10 mt-20">
          <Failure text={form.fault} />
          <Button isBlock disabled={form.isBusy} onClick={() => form.send(remove)}>
            {t('card.removeYes')}
          </Button>
          <Button isBlock look="quiet" onClick={() => setOpen(false)}>
            {t('card.removeNo')}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
