import type { ReactNode } from 'react';
import { FaultIcon } from './icons.tsx';
import { Notice, Tag } from './parts.tsx';

/** Why a product takes no orders: a mark in a list or on a chart, or a line with what to do. The same in the app and in the office. */
export function ProductState(props: {
  state: { readonly mark: string; readonly line: string };
  look: 'mark' | 'line';
  children?: ReactNode;
}) {
  const { state, look, children } = props;
  if (look === 'mark')
    return (
      <Tag look="warn">
        <FaultIcon size={12} />
        {state.mark}
      </Tag>
    );
  return (
    <Notice look="warn">
      {state.line} {children}
    </Notice>
  );
}
