"""The check of values passes on a right run and names each kind of fault."""
import json
import re
import unittest

import check_values
import digest
import observed

VECTORS = [
    (b"", 0, 0),
    (b"a", 0x4AE8D61F9C99C83B, 0x350FAB2EF958E42D),
    (bytes(16), 0xBC13060E2D1AAC79, 0x3430C82B4D60C1C0),
    (bytes(17), 0x5E3D2046E2713ED7, 0x95836CC5F18B4C1C),
    (bytes(range(100)), 0xA064454CE4B86951, 0x2DA9FAFA65A606B3),
]
WORDS = {1: [1, 2, 3, 4, 5], 2: [10, 20, 30, 40, 50], 3: [7, 7, 7, 7, 7]}  # by replay

HEAD = """file: "host.1.1.gtap"
entry { run { specification: "all=hash+copy:16" replays: "every:1" } }
entry { string { id: 0 text: "_Z7advancePjjj" } }
entry { function { id: 0 name: 0 } }
entry { node { graph: 0 index: 0 parameters { kind: 0 kernel { function: 0 } } } }
entry { site { id: 0 executable: 0 graph: 0 node: 0 role: ROLE_ARGUMENT parameter: 0 bytes: 20 } }
entry { replay_range { executable: 0 first: 1 last: 3 } }
"""


def quoted(data):
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def packed(words):
    return b"".join(word.to_bytes(4, "little") for word in words)


def observation(replay, words, hashed=None):
    data = packed(words)
    return (f"entry {{ observation {{ site: 0 replay: {replay} hash: {digest.hash_of(hashed or data)} payload: {replay}"
            f" payload_bytes: 16 }} }}\n"
            f"entry {{ payload_piece {{ payload: {replay} offset: 0 bytes: {quoted(data[:16])} }} }}\n")


def sampled(*replays):
    return "".join(f"entry {{ replay {{ executable: 0 number: {r} sampled: true }} }}\n" for r in replays)


def lost(replay, cause):
    return f"entry {{ replay {{ executable: 0 number: {replay} lost: {cause} }} }}\n"


def loss(cause, count):
    return f"entry {{ loss {{ cause: {cause} count: {count} }} }}\n"


def lines_of(text):
    """One field or brace a line, as the dump prints."""
    return re.findall(r'\w+ \{|\}|\w+: "[^"]*"|\w+: [^\s"]+', text)


def faults(text, least=1, may_lose=None, head=HEAD):
    facts = [{"executable": 0, "replay": replay, "name": "advance", "occurrence": 0, "operand": "arg0", "words": words}
             for replay, words in WORDS.items()]
    facts.append({"executable": 0, "replays": 3})
    truth = check_values.Truth(json.dumps(fact) for fact in facts)
    check = check_values.Check(observed.Run(lines_of(head + text)), truth)
    check.check_all(least, may_lose)
    return check.faults


ALL = "".join(observation(replay, words) for replay, words in WORDS.items())


class Values(unittest.TestCase):
    def test_hash_vectors(self):
        for data, total, finished in VECTORS:
            self.assertEqual((digest.lane_sum(data), digest.hash_of(data)), (total, finished))

    def test_a_tensor_is_read_in_c_order(self):
        fact = {"words": [0x03020100, 0x07060504, 0x0b0a0908], "item": 2, "sizes": [2, 3], "strides": [1, 2]}
        self.assertEqual(check_values.bytes_of(fact), bytes([0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11]))
        fact.update(sizes=[2, 1, 2], strides=[0, 9, 3], first=1)
        self.assertEqual(check_values.bytes_of(fact), bytes([2, 3, 8, 9, 2, 3, 8, 9]))
        fact.update(sizes=[], strides=[])
        self.assertEqual(check_values.bytes_of(fact), bytes([2, 3]))
        self.assertEqual(check_values.bytes_of({"words": [7]}), bytes([7, 0, 0, 0]))

    def test_a_right_run(self):
        self.assertEqual(faults(sampled(1, 2, 3) + ALL, least=3), [])

    def test_too_few(self):
        self.assertRegex(faults(sampled(1, 2, 3) + ALL, least=4)[0], "3 observations, at least 4")

    def test_the_value_of_another_replay(self):
        text = sampled(1, 2, 3) + ALL.replace(quoted(packed(WORDS[2])[:16]), quoted(packed(WORDS[1])[:16]))
        self.assertRegex(faults(text)[0], "which is replay 1's")

    def test_a_wrong_hash(self):
        text = observation(1, WORDS[1]) + observation(2, WORDS[2], b"x" * 20) + observation(3, WORDS[3])
        self.assertRegex(faults(sampled(1, 2, 3) + text)[0], "expected")

    def test_a_missing_observation(self):
        text = sampled(1, 3) + observation(1, WORDS[1]) + observation(3, WORDS[3])
        self.assertEqual(faults(text), ["x0@2 was due: no observation, no loss"])

    def test_a_counted_loss(self):
        text = sampled(1, 3) + observation(1, WORDS[1]) + observation(3, WORDS[3]) + lost(2, 10)
        self.assertEqual(faults(text + loss(10, 1)), [])
        self.assertRegex(faults(text + loss(10, 2))[0], "no_slot: 1 replays are marked, 2 counted")
        self.assertRegex(faults(text + loss(10, 1), may_lose=["undrained"])[0], "not a loss that may be here")

    def test_an_undrained_replay(self):
        text = sampled(1, 2) + observation(1, WORDS[1]) + observation(2, WORDS[2]) + lost(3, 17)
        self.assertEqual(faults(text + loss(17, 1)), [])

    def test_a_sampled_replay_without_observations(self):
        text = sampled(1, 2, 3) + observation(1, WORDS[1]) + observation(2, WORDS[2])
        self.assertEqual(faults(text), ["x0@3 was sampled: no observation"])

    def test_observed_twice(self):
        self.assertRegex(faults(sampled(1, 2, 3) + ALL + observation(3, WORDS[3]))[0], "observed twice")

    def test_which_replays_are_due(self):
        self.assertFalse(check_values.due("every:2", 1))
        self.assertTrue(check_values.due("1,2,every:100", 200))
        self.assertTrue(check_values.due("3-5", 4))

    def test_a_replay_that_was_not_due(self):
        head = HEAD.replace("every:1", "2-3")
        self.assertEqual(faults(sampled(1, 2, 3) + ALL, head=head), ["x0@1 was not due"])


if __name__ == "__main__":
    unittest.main()
