-- Pictures of deposits that were cancelled or lapsed before staff found a payment are not kept any longer.
update uploads u set file = null, erased_at = now()
from deposit_requests d
where d.proof_id = u.id and d.status = 'ignored' and d.reason in ('taken_back', 'lapsed') and d.revision = 0 and u.file is not null;
