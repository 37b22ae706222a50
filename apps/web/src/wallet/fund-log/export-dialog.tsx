import { Button, Segments } from '@fairtick/ui';
import { saveFile } from '@fairtick/ui/save-file';
import { useState } from 'react';
import { type Fields, getFile } from '../../api/client.ts';
import { serverNow } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useForm } from '../../parts/use-form.ts';
import { chosenZone, dayOf } from '../../state/format.ts';
import { useToast } from '../../state/toast.ts';
import css from '../parts/records.module.css';
import { type LogFilter, summarise } from './fund-log-model.ts';

type Format = 'csv' | 'pdf';

/** Downloads the filtered log as a file. */
export function ExportDialog(props: { isOpen: boolean; filter: LogFilter; onClose: () => void }) {
  const { t } = useText();
  const [format, setFormat] = useState<Format>('csv');
  const form = useForm();
  const save = async () => {
    await saveLog(summarise(props.filter, serverNow()), format);
    useToast.getState().show(t('log.exported'));
    props.onClose();
  };
  return (
    <Dialog title={t('log.export')} isOpen={props.isOpen} onClose={props.onClose}>
      <div className={css.dialogForm}>
        <Segments
          label={t('log.format')}
          name="format"
          value={format}
          choices={[
            { value: 'csv', label: 'CSV' },
            { value: 'pdf', label: 'PDF' },
          ]}
          onChange={setFormat}
        />
        <p className="secondary">{t(format === 'csv' ? 'log.csvNote' : 'log.pdfNote')}</p>
        <Button look="gold" isBlock disabled={form.isBusy} onClick={() => form.send(save)}>
          {t(form.isBusy ? 'log.exporting' : 'log.save')}
        </Button>
      </div>
    </Dialog>
  );
}

async function saveLog(fields: Fields, format: Format): Promise<void> {
  const content = await getFile('fund/export', { ...fields, format, zone: chosenZone().timeZone });
  saveFile(new File([content], `fairtick-${dayOf(serverNow())}.${format}`));
}
