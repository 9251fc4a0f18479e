"""Which tests ``make test`` leaves to ``make thorough``: whole processes, and further cases of what others show.

A newcomer's ``make test`` shows each behaviour once and ends in minutes. ``make thorough`` runs the tests of this table,
and `.ci/run` runs both. Without ``-m`` pytest runs every test.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

NONE = 0

KEPT = {
    # Real server processes, a second or more each.
    "e2e/test_browser_origin.py": NONE,
    "e2e/test_command_line.py::test_a_broken_config_is_named_with_file_line_and_key": 4,
    "e2e/test_command_line.py::test_a_file_of_the_folder_is_not_mistaken_for_twospeed": NONE,
    "e2e/test_command_line.py::test_a_key_that_is_not_accepted_fails_the_edit": NONE,
    "e2e/test_command_line.py::test_an_interrupt_cancels_and_leaves_nothing_behind": 2,
    "e2e/test_command_line.py::test_doctor_names_no_model_if_the_config_is_broken": NONE,
    "e2e/test_command_line.py::test_doctor_says_how_to_agree_and_why_an_address_is_not_used": NONE,
    "e2e/test_command_line.py::test_doctor_says_what_to_do_where_only_the_built_in_engine_serves": NONE,
    "e2e/test_command_line.py::test_show_prompt_has_definitions_of_other_files": NONE,
    "e2e/test_command_line.py::test_stats_count_the_edits_of_the_terminal_and_not_the_trials_of_doctor": NONE,
    "e2e/test_command_line.py::test_the_last_function_of_a_file_without_a_final_newline_keeps_it_so": NONE,
    "e2e/test_command_line.py::test_write_changes_the_scope_and_not_one_other_byte": 4,
    "e2e/test_command_line.py": 2,
    "e2e/test_doctor.py": 5,
    "e2e/test_log_contents.py": 4,
    "e2e/test_readme_commands.py": NONE,
    "e2e/test_transports.py::test_a_signal_ends_it_in_an_orderly_way": 4,
    "e2e/test_transports.py::test_an_editor_that_lives_or_was_never_seen_alive_ends_nothing": 3,
    "e2e/test_transports.py::test_an_editor_that_never_reads_does_not_keep_it_alive": NONE,
    "e2e/test_transports.py::test_anything_else_at_the_path_is_left_alone": 5,
    "e2e/test_transports.py::test_hundreds_of_silent_sockets_do_not_use_up_the_files_of_the_process": 2,
    "e2e/test_transports.py::test_no_other_address_can_be_listened_on": 4,
    "e2e/test_transports.py::test_standard_streams_that_are_closed_end_it_quietly": 3,
    "e2e/test_transports.py": 3,
    "cli/test_demo.py": NONE,  # `.ci/run` runs the demo
    "security/test_keyring_process.py": 4,
    "security/test_key_traces.py": 12,
    "security/test_sinks.py::test_a_real_process_over_tcp_sends_to_the_bound_endpoint_alone": NONE,
    "security/test_sinks.py::test_a_real_process_over_stdio_sends_to_the_bound_endpoint_alone": NONE,
    "security/test_sinks.py::test_the_command_line_sends_to_the_bound_endpoint_alone": NONE,
    "security/test_state_files.py::test_the_server_starts_and_edits_where_none_of_its_files_can_be_used": 3,
    "security/test_workspace_code.py": 4,
    # Long texts, deep texts, many files.
    "scenarios/models/test_model_faults.py::test_a_million_tiny_events_do_not_block_responses_to_the_editor": NONE,
    "security/test_log_without_keys.py::test_rotation_keeps_five_files_of_two_megabytes_for_their_owner_and_follows_no_link": NONE,
    "security/test_secret_shapes.py::test_no_text_of_up_to_a_megabyte_keeps_the_search_busy": NONE,
    "syntax/scopes/test_scope_broken.py::test_a_token_too_many_or_too_few_in_a_body_does_not_add_a_neighbour": 5,
    "syntax/scopes/test_scope_laws.py::test_a_scope_in_fifty_thousand_levels_takes_bounded_work": 5,
    "models/codecs/test_delta_batches.py::test_batches_decode_like_single_events": 2,
    "test_patterns.py": NONE,
    "workspace/test_gitignore.py::test_a_hostile_file_is_read_and_asked_in_a_bounded_time": 8,
    # Tables of many cases that differ in one value.
    "scenarios/edits/test_cancel_and_shutdown.py::test_a_session_that_ends_during_a_retry_leaves_no_task": 4,
    "scenarios/models/test_websocket_failures.py": 3,
    "lsp/wire/test_framing.py": 2,
    "scenarios/delivery/test_large_documents.py": 3,
    "scenarios/models/test_model_faults.py::test_a_fault_is_one_outcome_and_the_next_edit_works": 6,
    "scenarios/delivery/test_undo_while_writing.py": 3,
    "scenarios/delivery/test_normalizing_editor.py::test_an_edit_after_a_change_of_all_line_ends_is_exact_and_is_rejected_to_the_byte": 4,
    "rules/test_rules_laws.py": 4,
    "models/codecs/test_decoder_laws.py": 3,
    "security/test_planted_secrets.py": 3,
    "stream/answers/test_answer_ends.py": 4,
    "stream/laws/test_cost_laws.py": 2,
    "syntax/languages/test_extra_languages.py": 3,
    "syntax/trees/test_hostile_trees.py": 2,
    "syntax/trees/test_trees.py::test_a_tree_is_updated_by_changes_in_every_language": 4,
    "workspace/test_gitignore.py::test_made_up_files_are_judged_as_git_judges_them": 2,
    "security/test_sinks.py::test_no_setting_from_nowhere_sends_a_byte_elsewhere": 7,
}
"""How many of a file's or a function's tests stay in ``make test``: each nth, or none. The first entry that fits counts."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that are left out."""
    found: defaultdict[str, int] = defaultdict(int)
    for item in items:
        node = item.nodeid.partition("[")[0].removeprefix("tests/")
        place = next((place for place in (node, node.partition("::")[0]) if place in KEPT), None)
        if place is not None:
            every = KEPT[place]
            if not every or found[place] % every:
                item.add_marker(pytest.mark.thorough)
            found[place] += 1
    missing = KEPT.keys() - found.keys()
    if missing and config.args == config.getini("testpaths"):
        raise pytest.UsageError(f"tests/thorough.py names no test: {', '.join(sorted(missing))}")
