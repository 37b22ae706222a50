import {
  REPORT_FORMATS,
  REPORT_NAMES,
  REPORTS,
  type ReportName,
} from '@fairtick/protocol/office/report-kinds';
import { post } from '../api/client.ts';
import { type Me, queryClient, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { dayStart } from '../state/days.ts';
import { useToast } from '../state/toast.ts';
import { EXPORTS, ExportsTable } from './exports-table.tsx';
import { fetchFile } from './fetch-file.ts';
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
    await queryClient.invalidateQueries({ queryKey: EXPORTS });
  };
  return (
    <form className={`box p-16 ${formClass}`} onSubmit={form.onSubmit(send)}>
      <div className={`columns-fill gap-12 ${css.fields}`}>
        <SelectField label={t('reports.report')} {...form.field('report')}>
          {mine.map((name) => (
            <option key={name} value={name}>
              {word('report', name)}
            </option>
          ))}
        </SelectField>
        <SelectField label={t('reports.format')} {...form.field('format')}>
          {REPORT_FORMATS.map((name) => (
            <option key={name} value={name}>
              {word('reportFormat', name)}
            </option>
          ))}
        </SelectField>
        {!isMoment && <TextField label={t('ledger.fromDay')} type="date" {...form.field('from')} />}
        <TextField
          label={t(isMoment ? 'reports.moment' : 'ledger.toDay')}
          type="date"
          {...form.field('to')}
        />
        <SelectField label={t('reports.zone')} {...form.field('zone')}>
          {[...new Set([ownZone(), 'UTC'])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
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
