import { parseAcceptance } from '@fairtick/proof';
import { Button, DirectionMark, Fact, Facts, Notice, Stamp } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import type { CheckedReceipt, Example } from '../orders/receipt-check/check-receipt.ts';
import { Dialog } from '../parts/dialog.tsx';
import { later } from '../parts/later.tsx';
import { pageOf } from '../parts/page.tsx';
import { useForm } from '../parts/use-form.ts';
import { Link } from '../shell/link.tsx';
import { formatCount, formatDateTime, formatPrice, formatPublic } from '../state/format.ts';
import type { NewestEntries } from './check-newest.ts';
import css from './landing.module.css';

const ReceiptReportView = later(() => import('../orders/receipt-check/receipt-report.tsx'));

/** A receipt that a visitor can check: of this server if it has one to show, else the published example. */
export default pageOf('receipt', Slip);

type Shown =
  | { readonly kind: 'own'; readonly receipt: Example['receipt'] }
  | ({ readonly kind: 'example' } & Example);

async function readShown(signal: AbortSignal): Promise<Shown> {
  const receipt = await get('transparency/receipt', {}, { signal, isSilent: true });
  if (receipt !== null) return { kind: 'own', receipt };
  const { default: example } = await untilLoaded(() => import('virtual:example-receipt'));
  return { kind: 'example', ...example };
}

interface Verdict {
  readonly checked: CheckedReceipt;
  readonly isProved: boolean;
}

/** By the same code as a customer's receipt. */
async function check(shown: Shown): Promise<Verdict> {
  const { checkExample, checkGiven, isProved } = await untilLoaded(
    () => import('../orders/receipt-check/check-receipt.ts'),
  );
  const checked = shown.kind === 'own' ? await checkGiven(shown.receipt, null) : checkExample(shown);
  return { checked, isProved: isProved(checked) };
}

function Slip() {
  const { t } = useText();
  // One receipt stays as long as the page, so that what was checked does not change.
  const { data, error, refetch } = useQuery({
    queryKey: ['publishedReceipt'],
    queryFn: ({ signal }) => readShown(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [isOpen, setOpen] = useState(false);
  const form = useForm({ shows: 'all' });
  if (!data)
    return error ? (
      <Notice>
        {t('shell.networkError')}{' '}
        <button type="button" className={`secondary link ${css.slipLink}`} onClick={() => void refetch()}>
          {t('list.again')}
        </button>
      </Notice>
    ) : null;
  const terms = parseAcceptance(data.receipt.acceptance.text);
  const run = async () => setVerdict(await check(data));
  const fault = form.isUnanswered ? t('shell.networkError') : form.fault;
  return (
    <>
      <h2>{t(data.kind === 'own' ? 'sample.own' : 'sample.example')}</h2>
      <p className="caption">{t(data.kind === 'own' ? 'sample.ownNote' : 'sample.exampleNote')}</p>
      {terms && <Terms terms={terms} outcome={data.receipt.outcome} />}
      <div className={`row gap-8 ${css.slipFoot}`} role="status">
        {verdict ? (
          <>
            <Stamp size={22} isChecked={verdict.isProved} />
            <b>{t(verdict.isProved ? 'sample.proved' : 'receipt.wrong')}</b>
            <button type="button" className={`secondary link ${css.slipLink}`} onClick={() => setOpen(true)}>
              {t('sample.steps')}
            </button>
          </>
        ) : (
          <Button isBlock onClick={() => form.send(run)} disabled={form.isBusy}>
            {t(form.isBusy ? 'sample.checking' : 'sample.check')}
          </Button>
        )}
      </div>
      {fault !== null && <Notice>{fault}</Notice>}
      <div className={`flex between wrap ${css.slipLinks}`}>
        <Link href="/transparency" className={`secondary link ${css.slipLink}`}>
          {t('sample.how')}
        </Link>
        {data.kind === 'example' && <NewestCheck />}
      </div>
      <Dialog title={t('sample.steps')} isOpen={isOpen} onClose={() => setOpen(false)}>
        {verdict && terms && <ReceiptReportView orderId={terms.orderId} checked={verdict.checked} />}
      </Dialog>
    </>
  );
}

/** While this server has no receipt to show, its log can be checked all the same. */
function NewestCheck() {
  const { t, tag } = useText();
  const [newest, setNewest] = useState<NewestEntries | null>(null);
  const form = useForm({ shows: 'all' });
  const run = async () => {
    const { checkNewest } = await untilLoaded(() => import('./check-newest.ts'));
    setNewest(await checkNewest());
  };
  const words = newest && {
    count: formatCount(newest.count),
    time: formatDateTime(newest.untilMs, tag),
  };
  return (
    <>
      {!newest && (
        <button
          type="button"
          className={`secondary link ${css.slipLink}`}
          onClick={() => form.send(run)}
          disabled={form.isBusy}
        >
          {t(form.isBusy ? 'sample.checking' : 'sample.checkLog')}
        </button>
      )}
      <p className="caption" role="status">
        {words && (newest.isRight ? t('sample.logRight', words) : t('sample.logWrong'))}
        {form.fault !== null && (form.isUnanswered ? t('shell.networkError') : form.fault)}
      </p>
    </>
  );
}

function Terms(props: {
  terms: NonNullable<ReturnType<typeof parseAcceptance>>;
  outcome: Example['receipt']['outcome'];
}) {
  const { terms, outcome } = props;
  const { t, tag } = useText();
  const price = (text: string | null) => (text === null ? '–' : formatPrice(text));
  return (
    <Facts className={css.slipFacts ?? ''} columns={1}>
      <Fact name={`${terms.symbol} · ${t('sample.minutes', { count: terms.minutes })}`}>
        <DirectionMark way={terms.direction}>{t(`trade.${terms.direction}`)}</DirectionMark>
      </Fact>
      <Fact name={t('sample.accepted')}>{formatDateTime(terms.acceptedAt, tag)}</Fact>
      <Fact name={t('sample.openPrice')}>{price(outcome.openPrice)}</Fact>
      <Fact name={t('sample.settlePrice')}>{price(outcome.settlePrice)}</Fact>
      <Fact name={t('sample.stake')}>{`${formatPublic(terms.amount)} ${terms.asset}`}</Fact>
      <Fact name={t('sample.paid')}>{`${formatPublic(outcome.payout)} ${terms.asset}`}</Fact>
    </Facts>
  );
}
