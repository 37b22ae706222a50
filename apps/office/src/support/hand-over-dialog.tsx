import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { refreshChats, useColleagues } from './queries.ts';

/** Gives a conversation to a colleague. */
export function HandOver({ id }: { id: string }) {
  const { t } = useText();
  const colleagues = useColleagues().data ?? [];
  return (
    <FormAction
      label={t('chat.handOver')}
      values={{ to: '' }}
      inputs={() => [
        {
          name: 'to',
          label: t('chat.colleague'),
          none: t('chat.chooseColleague'),
          choices: colleagues.map((one) => one.id),
          nameOf: (chosen) => colleagues.find((one) => one.id === chosen)?.name ?? '',
        },
      ]}
      send={({ to }) => post('chat/handOver', { id, to })}
      refresh={() => refreshChats(id)}
      submit={t('chat.handOver')}
      done={null}
    />
  );
}
