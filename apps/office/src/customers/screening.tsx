import { useState } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { type RowOf, refresh, refreshWaiting, useHas, usePages } from '../api/queries.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { Inquiries } from '../reviews/inquiries.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { formatTime } from '../state/format.ts';

type Hit = RowOf<'screening/list'>;

const VERDICTS = ['clear', 'confirm'] as const;
const refreshScreening = () => Promise.all([refresh('screening'), refreshWaiting()]);

/** Matches with sanctions lists. Payouts of these customers wait until two people clear them. */
export function Screening() {
  const { t, word } = useText();
  const [state, setState] = useState<'open' | 'decided'>('open');
  const columns: Column<Hit>[] = [
    { header: t('audit.time'), cell: ({ foundAt }) => formatTime(foundAt) },
    {
      header: t('review.customer'),
      cell: ({ account, customerId }) => (
        <Link className="opens" href={`~/customers/${customerId}`}>
          {account}
        </Link>
      ),
    },
    { header: t('screening.what'), cell: ({ kind }) => word('screeningKind', kind) },
    {
      header: t('screening.listed'),
      cell: (hit) => (
        <>
          {nameOf(hit, word)}
          <small>{`${hit.list} ${hit.reference}`}</small>
        </>
      ),
    },
    {
      header: t('screening.score'),
      cell: ({ score, vendor }) => (vendor === null ? `${score} %` : ''),
      isNumber: true,
    },
    { header: t('staff.state'), cell: (hit) => <State hit={hit} /> },
    { header: t('shell.actions'), isUnnamed: true, cell: (hit) => <Propose hit={hit} /> },
  ];
  return (
    <>
      <p className="secondary prose mb-14">{t('screening.lead')}</p>
      <p className="mb-12">
        <Action size="small" onClick={() => setState(state === 'open' ? 'decided' : 'open')}>
          {t(state === 'open' ? 'screening.showCleared' : 'flags.showOpen')}
        </Action>
      </p>
      <DataTable
        caption={t('customers.tab.screening')}
        columns={columns}
        list={usePages(['screening'], 'screening/list', { state }, { refetchInterval: 5_000 })}
        none={t('screening.none')}
      />
      <Inquiries />
    </>
  );
}

/** The entry of a list, or what a vendor found. */
const nameOf = ({ listed, vendor }: Hit, word: Text['word']): string =>
  vendor === null ? listed : [word('vendorState', vendor.finding), vendor.code].filter(Boolean).join(' · ');

function State({ hit: { state, proposal } }: { hit: Hit }) {
  const { t, word } = useText();
  return (
    <span className="flex-column items-start gap-4">
      {word('screeningState', state)}
      {proposal !== null && (
        <span className="caption">
          {[
            word('screeningVerdict', proposal.verdict),
            proposal.note,
            proposal.proposedBy.name,
            proposal.decidedBy?.name,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      )}
      {proposal?.status === 'proposed' && (
        <Decision
          proposal={proposal}
          subject={t('screening.title')}
          approve={word('screeningVerdict', proposal.verdict)}
          decide={(verdict) => post('screening/decide', { id: proposal.id, verdict })}
          refresh={refreshScreening}
          done={t('screening.done')}
        >
          <Stated name={t('fact.verdict')} value={word('screeningVerdict', proposal.verdict)} />
          <Stated name={t('fact.note')} value={proposal.note} />
        </Decision>
      )}
    </span>
  );
}

function Propose({ hit }: { hit: Hit }) {
  const { id, state, proposal } = hit;
  const { t, word } = useText();
  const has = useHas();
  if (!has('verification') || state === 'cleared' || proposal?.status === 'proposed') return null;
  return (
    <FormAction
      label={t('screening.decide')}
      title={t('screening.title')}
      button={{ size: 'small' }}
      draft={`screening ${id}`}
      values={{ verdict: '', note: '' }}
      inputs={() => [
        <p key="hit" className="breaks">
          {`${hit.account} · ${nameOf(hit, word)} (${hit.list} ${hit.reference})`}
          {hit.vendor === null && ` · ${hit.score} %`}
        </p>,
        {
          name: 'verdict',
          label: t('fact.verdict'),
          choices: VERDICTS.filter((one) => state === 'open' || one === 'clear'),
          nameOf: (one) => word('screeningVerdict', one),
          none: t('statement.choice'),
        },
        { name: 'note', label: t('fact.note'), hint: t('screening.hint'), maxLength: 500 },
      ]}
      send={(body) => post('screening/propose', { id, ...body })}
      refresh={refreshScreening}
    />
  );
}
