"""Reminders and repeated jobs: turns that the clock begins.

times       when a job runs next, in its time zone; pure
words       "every monday 18:30" → when; pure
due         which jobs are due now, which wait for the end of the quiet hours; pure
wording     jobs and times in words; pure
book        making and changing jobs, by the rules
scheduler   the one task that waits for the next job and hands it to its chat
"""
