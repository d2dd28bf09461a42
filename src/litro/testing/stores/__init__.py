"""The session store's conformance suite: what every store must do, as checks to run against your own.

    @pytest.mark.parametrize("check", stores.CHECKS, ids=lambda check: check.__name__)
    async def test_my_store(check, tmp_path):
        await check(lambda: MyStore(tmp_path))

A check gets `connect`, which answers a new handle on the same storage each time it is called: two handles stand for two
processes, and a handle made after another was closed for a restart. Checks name their agents at random, so they may share
a storage. A failure is an AssertionError that says what is required.

It is not a test of what a machine's death leaves behind: that takes faults which only a store's own tests can inject.
"""

from typing import Final

from litro.testing.stores.checking import Check, Connect
from litro.testing.stores.folder import (
    a_deleted_session_is_gone,
    a_list_may_be_one_owners,
    a_place_outlives_its_session,
    a_running_session_is_not_deleted,
    deleting_never_meets_a_turn_that_has_begun,
    pages_cover_every_session_once,
    sessions_are_listed_newest_first,
)
from litro.testing.stores.following import (
    a_follower_from_beyond_the_end_waits_for_its_seq,
    a_follower_sees_lines_while_the_lease_is_held,
    a_follower_that_leaves_disturbs_nobody,
    a_slow_follower_gets_everything,
    followers_get_every_line_once,
    following_an_idle_session_ends,
)
from litro.testing.stores.forks import (
    a_fork_has_a_mailbox_of_its_own,
    a_fork_holds_what_its_source_held_up_to_there,
    a_fork_is_a_session_of_its_own,
    a_fork_keeps_the_title_of_what_it_holds,
    a_fork_never_touches_a_session_that_exists,
    a_session_is_forked_while_its_turn_runs,
    an_unknown_session_is_not_forked,
    of_many_forks_into_one_name_one_counts,
)
from litro.testing.stores.keys import (
    a_session_belongs_to_its_creator,
    ids_that_look_alike_are_separate_sessions,
    invalid_ids_are_refused_everywhere,
    two_agents_never_share_a_session,
)
from litro.testing.stores.leasing import (
    a_cancelled_close_still_gives_the_lease_back,
    a_cancelled_open_keeps_no_lease,
    a_reader_never_takes_the_lease,
    a_second_open_is_busy,
    a_writer_that_gave_its_lease_back_is_fenced,
    between_turns_running_is_the_turn_that_comes,
    closing_gives_the_lease_back,
    of_many_that_open_at_once_one_gets_the_lease,
)
from litro.testing.stores.log import (
    a_private_line_alone_is_flushed,
    an_event_comes_back_as_it_was_appended,
    an_unknown_session_is_empty,
    before_flush_a_reader_sees_no_more_than_a_prefix,
    blocks_are_whole_lines,
    events_are_numbered_from_one_without_gaps,
    meta_tells_what_is_durable,
    private_lines_keep_their_place,
    reading_begins_at_the_seq_that_is_asked_for,
    what_flush_acknowledged_is_read_by_another_handle,
)
from litro.testing.stores.mail import (
    mail_needs_no_lease_and_keeps_its_order,
    mail_wakes_a_waiting_inbox,
    mail_with_a_known_id_is_refused,
    of_many_posts_with_one_id_one_counts,
    taken_mail_does_not_come_again,
)
from litro.testing.stores.titles import (
    a_long_title_is_cut,
    the_first_message_of_a_person_is_the_title,
    the_last_title_event_is_the_title,
)
from litro.testing.stores.unfinished import (
    a_held_session_is_not_told_as_unfinished,
    mail_that_waits_is_unfinished,
    sessions_of_every_agent_are_told,
    taken_mail_is_waited_for_no_more,
    what_ended_well_is_not_unfinished,
    what_is_left_unfinished_is_told_until_it_ends_well,
)

__all__ = ["CHECKS", "Check", "Connect"]

CHECKS: Final[tuple[Check, ...]] = (
    events_are_numbered_from_one_without_gaps,
    an_event_comes_back_as_it_was_appended,
    what_flush_acknowledged_is_read_by_another_handle,
    before_flush_a_reader_sees_no_more_than_a_prefix,
    blocks_are_whole_lines,
    reading_begins_at_the_seq_that_is_asked_for,
    private_lines_keep_their_place,
    a_private_line_alone_is_flushed,
    an_unknown_session_is_empty,
    meta_tells_what_is_durable,
    a_second_open_is_busy,
    of_many_that_open_at_once_one_gets_the_lease,
    closing_gives_the_lease_back,
    a_reader_never_takes_the_lease,
    a_cancelled_open_keeps_no_lease,
    a_cancelled_close_still_gives_the_lease_back,
    a_writer_that_gave_its_lease_back_is_fenced,
    between_turns_running_is_the_turn_that_comes,
    a_session_belongs_to_its_creator,
    invalid_ids_are_refused_everywhere,
    ids_that_look_alike_are_separate_sessions,
    two_agents_never_share_a_session,
    followers_get_every_line_once,
    a_follower_from_beyond_the_end_waits_for_its_seq,
    a_follower_sees_lines_while_the_lease_is_held,
    a_slow_follower_gets_everything,
    following_an_idle_session_ends,
    a_follower_that_leaves_disturbs_nobody,
    sessions_are_listed_newest_first,
    pages_cover_every_session_once,
    a_place_outlives_its_session,
    a_list_may_be_one_owners,
    the_first_message_of_a_person_is_the_title,
    the_last_title_event_is_the_title,
    a_long_title_is_cut,
    a_running_session_is_not_deleted,
    deleting_never_meets_a_turn_that_has_begun,
    a_deleted_session_is_gone,
    mail_needs_no_lease_and_keeps_its_order,
    mail_with_a_known_id_is_refused,
    of_many_posts_with_one_id_one_counts,
    taken_mail_does_not_come_again,
    mail_wakes_a_waiting_inbox,
    mail_that_waits_is_unfinished,
    taken_mail_is_waited_for_no_more,
    what_ended_well_is_not_unfinished,
    what_is_left_unfinished_is_told_until_it_ends_well,
    a_held_session_is_not_told_as_unfinished,
    sessions_of_every_agent_are_told,
    a_fork_holds_what_its_source_held_up_to_there,
    a_fork_is_a_session_of_its_own,
    a_fork_never_touches_a_session_that_exists,
    an_unknown_session_is_not_forked,
    a_session_is_forked_while_its_turn_runs,
    of_many_forks_into_one_name_one_counts,
    a_fork_has_a_mailbox_of_its_own,
    a_fork_keeps_the_title_of_what_it_holds,
)
"""Every check. The name of each is the behaviour that it requires."""
