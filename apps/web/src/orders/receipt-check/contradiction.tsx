import { Button, FaultIcon } from '@fairtick/ui';
import { saveFile } from '@fairtick/ui/save-file';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import type { ContradictionKind } from './evidence-model.ts';
import css from './receipt-check.module.css';
import { documentFile } from './share-file.ts';

/** What this device holds and what the server shows now can't both be true: says so, with both documents to save. */
export default function Contradiction(props: {
  kind: ContradictionKind;
  orderId: string;
  held: object;
  shown: object;
  isSound: boolean;
}) {
  const { t } = useText();
  const { kind, orderId, held, shown, isSound } = props;
  return (
    <div className={`stack gap-10 p-12 text-13 ${css.contradiction}`} role="alert">
      <h3 className="row gap-8">
        <FaultIcon size={18} />
        {t('receipt.contradiction')}
      </h3>
      <p>{t(`receipt.contradiction.${kind}`)}</p>
      <p>{t(isSound ? 'receipt.contradiction.sound' : 'receipt.contradiction.unsound')}</p>
      <Button isBlock onClick={() => saveFile(documentFile(`held-${orderId}`, held))}>
        {t('receipt.saveHeld')}
      </Button>
      <Button isBlock onClick={() => saveFile(documentFile(`shown-${orderId}`, shown))}>
        {t('receipt.saveShown')}
      </Button>
      <Link className="link" href="/chat">
        {t('title.chat')}
      </Link>
    </div>
  );
}
