import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { momentOf } from './news-model.ts';
import { type Article, refreshNews } from './queries.ts';

/** Publishes the saved version now or at a set time, cancels a scheduled publication, withdraws a published article, or discards one that no reader has seen. */
export function NewsActions({ article: { id, versions } }: { article: Article }) {
  const { t } = useText();
  const form = useForm();
  const [newest] = versions;
  if (!newest) return null;
  const { version, publishAt, isShown } = newest;
  const unschedule = async () => {
    await post('news/unschedule', { id, version });
    await refreshNews();
  };
  return (
    <div className="row gap-8">
      <FormFault text={form.fault} />
      {publishAt !== null && !isShown && (
        <Action onClick={() => void form.send(unschedule)}>{t('news.unschedule')}</Action>
      )}
      <Withdraw id={id} isSeen={versions.some((one) => one.isShown)} />
      {!isShown && <Publish id={id} version={version} />}
    </div>
  );
}

function Publish({ id, version }: { id: string; version: number }) {
  const { t } = useText();
  return (
    <FormAction
      label={t('news.publish')}
      button={{ look: 'gold' }}
      values={{ at: '' }}
      inputs={() => [
        {
          name: 'at',
          label: t('news.publishAt'),
          hint: t('news.publishHint'),
          kind: 'datetime-local',
          isOptional: true,
        },
      ]}
      send={async ({ at = '' }) => {
        await post('news/publish', { id, version, at: momentOf(at) ?? undefined });
        return at;
      }}
      refresh={refreshNews}
      submit={({ at }) => t(at === '' ? 'news.publishNow' : 'news.schedule')}
      done={(at) => t(at === '' ? 'news.published' : 'news.scheduled')}
    />
  );
}

function Withdraw({ id, isSeen }: { id: string; isSeen: boolean }) {
  const { t } = useText();
  const label = t(isSeen ? 'news.withdraw' : 'news.discard');
  return (
    <FormAction
      label={label}
      draft={`withdraw news ${id}`}
      values={{ reason: '' }}
      inputs={() => [
        <p key="text" className="note">
          {t(isSeen ? 'news.withdrawText' : 'news.discardText')}
        </p>,
        { name: 'reason', label: t('staff.reason') },
      ]}
      send={(body) => post('news/withdraw', { id, ...body })}
      refresh={refreshNews}
      submit={label}
      isRefusal
      done={null}
    />
  );
}
