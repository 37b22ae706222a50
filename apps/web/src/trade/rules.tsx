import type { ProductDetail } from '@fairtick/protocol';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useState } from 'react';

const RulesDialog = lazy(() => untilLoaded(() => import('./rules-dialog.tsx')));

/** The dialog with a product's rules; its code comes with its first opening. */
export function Rules(props: { detail: ProductDetail | null; isOpen: boolean; onClose: () => void }) {
  const { detail, ...dialog } = props;
  const [wasOpen, setWasOpen] = useState(dialog.isOpen);
  if (dialog.isOpen && !wasOpen) setWasOpen(true);
  if (!detail || !wasOpen) return null;
  return (
    <Suspense>
      <RulesDialog detail={detail} {...dialog} />
    </Suspense>
  );
}
