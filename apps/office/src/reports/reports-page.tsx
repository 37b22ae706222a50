import {
  REPORT_FORMATS,
  REPORT_NAMES,
  REPORTS,
  type ReportName,
} from '@fairtick/protocol/office/report-kinds';
import { post } from '../api/client.ts';
import { type Me, refresh, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Controls } from '../shell/controls.tsx';
import { Action, FormFault, formClass, TextField, useForm } from '../shell/form.tsx';
import { dayStart } from '../state/days.ts';
import { useToast } from '../state/toast.ts';
import { EXPORTS, ExportsTable, fetchFile } from './exports-table.tsx';
import css from './reports.module.css';

/** Reports of the house as files: one orders them with a reason, and everybody who may sees which were made. */
export default function ReportsPage() {
  const { t } = useText();
  const { data: me } = useMe();
  return (
    <div className={`page ${css.page}`}>
      <h1>{t('page.reports')}</h1>
      <p className="secondary measure">{t('reports.text')}</p>
      {me && <OrderForm me={me} />}
      <ExportsTable />
    </div>
  );
}

const today = () => new Date().toISOString().slice(0, 10);
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function OrderForm({ me }: { me: Me }) {
  const { t, word } = useText();
  const mine = REPORT_NAMES.filter((name) =>
    me.roles.some(({ role }) => (REPORTS[name].roles as readonly string[]).includes(role)),
  );
  const form = useForm({
    values: {
      report: mine[0] ?? '',
      format: 'csv',
      from: `${today().slice(0, 8)}01`,
      to: today(),
      zone: ownZone(),
      reason: '',
    },
  });
  const { report, format, from, to, zone, reason } = form.values;
  const isMoment = 'isMoment' in (REPORTS[report as ReportName] ?? {});
  const send = async () => {
    const of = zone === 'UTC' ? 'UTC' : 'own';
    const end = dayStart(to, 1, of);
    const begin = isMoment ? dayStart(to, 0, of) : dayStart(from, 0, of);
    const { id } = await post('report/order', { report, format, from: begin, to: end, zone, reason });
    fetchFile(id);
    useToast.getState().show(t('reports.made'));
    form.set({ reason: '' });
    await refresh(EXPORTS);
  };
  return (
    <form className={`box p-16 ${formClass}`} onSubmit={form.onSubmit(send)}>
      <div className={`columns-fill gap-12 ${css.fields}`}>
        <Controls
          inputs={[
            {
              name: 'report',
              label: t('reports.report'),
              choices: mine,
              nameOf: (name) => word('report', name),
            },
            {
              name: 'format',
              label: t('reports.format'),
              choices: REPORT_FORMATS,
              nameOf: (name) => word('reportFormat', name),
            },
            !isMoment && { name: 'from', label: t('ledger.fromDay'), kind: 'date' },
            { name: 'to', label: t(isMoment ? 'reports.moment' : 'ledger.toDay'), kind: 'date' },
            { name: 'zone', label: t('reports.zone'), choices: [...new Set([ownZone(), 'UTC'])] },
          ]}
          form={form}
        />
      </div>
      <TextField label={t('staff.reason')} maxLength={500} {...form.field('reason')} />
      <FormFault text={form.fault} />
      <div>
        <Action look="gold" type="submit" disabled={form.isBusy}>
          {t('reports.make')}
        </Action>
      </div>
    </form>
  );
}
