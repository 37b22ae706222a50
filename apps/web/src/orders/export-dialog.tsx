import { Button } from '@fairtick/ui';
import { saveFile } from '@fairtick/ui/save-file';
import { type Fields, getFile } from '../api/client.ts';
import { serverNow } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useForm } from '../parts/use-form.ts';
import { chosenZone, dayOf } from '../state/format.ts';
import { useToast } from '../state/toast.ts';

/** Saves the orders that match the filters. */
export function ExportDialog(props: { isOpen: boolean; asked: Fields; onClose: () => void }) {
  const { t } = useText();
  const form = useForm();
  const save = async () => {
    const content = await getFile('order/export', { ...props.asked, zone: chosenZone().timeZone });
    saveFile(new File([content], `fairtick-orders-${dayOf(serverNow())}.csv`));
    useToast.getState().show(t('log.exported'));
    props.onClose();
  };
  return (
    <Dialog title={t('log.export')} isOpen={props.isOpen} onClose={props.onClose}>
      <div className="stack gap-16 mt-4">
        <p className="secondary">{t('history.exportNote')}</p>
        <Button look="gold" isBlock disabled={form.isBusy} onClick={() => form.send(save)}>
          {t(form.isBusy ? 'log.exporting' : 'log.save')}
        </Button>
      </div>
    </Dialog>
  );
}
