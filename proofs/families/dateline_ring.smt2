; Dateline lanes on a ring of any size: two lanes, and a packet changes to lane 1 when it crosses the dateline.
;
; The fabric: switches in a ring, (pos n) in 0..size-1 is the place of n in it, for a host that of its switch. The dateline
; is the cable between place size-1 and place 0. Hosts do not forward.
; The forwarding: a packet starts in lane 0 and keeps its direction until it comes to the switch of d, which delivers it. The
; hop over the dateline puts it in lane 1, every other hop leaves its lane alone.
;
; Modelled: one packet for d that has come over x -> y in lane1 and goes on over y -> z in lane2.
; The invariant of the proof: a packet in lane 1 has its destination still before it, short of the dateline. It is shown to hold
; when the packet leaves its host, and to last; that is the induction over the hops of a packet.
; A rank belongs to a buffer, not to a packet: so a second packet, for c in direction fo, is shown to agree with the first one on
; the direction of the link that both have come over.
; The rank of the buffer at the end of a link: from hosts, between switches, to hosts; then the lane; then how far along.
(set-info :status unsat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-const size Int)
(declare-fun host (Node) Bool)
(declare-fun pos (Node) Int)
(define-fun crosses ((s Node) (fwd Bool)) Bool (ite fwd (= (+ (pos s) 1) size) (= (pos s) 0)))
(define-fun next ((s Node) (fwd Bool)) Int
  (ite fwd (ite (crosses s fwd) 0 (+ (pos s) 1)) (ite (crosses s fwd) (- size 1) (- (pos s) 1))))
(define-fun hop ((s Node) (n Node) (fwd Bool) (d Node)) Bool (and
    (< 2 size) ; a ring has three switches or more: a ring of two is a line, and needs no dateline
    (and (<= 0 (pos s)) (< (pos s) size) (<= 0 (pos d)) (< (pos d) size)) ; the places are 0..size-1
    (= (pos n) (next s fwd)) ; a cable joins neighbours
    (distinct (pos s) (pos d)) ; the switch of the destination delivers
  ))
(define-fun turn ((x Node) (y Node) (z Node) (d Node) (fx Bool) (fy Bool) (lane1 Int) (lane2 Int)) Bool (and
    (not (host y)) ; hosts do not forward
    (=> (not (host x)) (hop x y fx d))
    (=> (not (host z)) (hop y z fy d))
    (=> (not (or (host x) (host z))) (= fx fy)) ; a packet keeps its direction
    (=> (host x) (= lane1 0)) ; hosts send in lane 0
    (=> (and (not (host z)) (crosses y fy)) (= lane2 1)) ; over the dateline into lane 1
    (=> (and (not (host z)) (not (crosses y fy))) (= lane2 lane1)) ; elsewhere the lane stays
  ))
; == The rank
(define-fun rank-stage ((s Node) (n Node)) Int (ite (host s) 0 (ite (host n) 2 1)))
(define-fun rank-lane ((lane Int)) Int lane)
(define-fun rank-along ((n Node) (fwd Bool)) Int (ite fwd (pos n) (- (pos n))))
(define-fun higher ((x Node) (y Node) (z Node) (fx Bool) (fy Bool) (lane1 Int) (lane2 Int)) Bool (or
    (> (rank-stage y z) (rank-stage x y))
    (and (= (rank-stage y z) (rank-stage x y)) (or
      (> (rank-lane lane2) (rank-lane lane1))
      (and (= (rank-lane lane2) (rank-lane lane1)) (> (rank-along z fy) (rank-along y fx)))))))
(define-fun invariant ((n Node) (fwd Bool) (d Node) (lane Int)) Bool (or
    (= lane 0)
    (and (= lane 1) (ite fwd (<= (pos n) (pos d)) (>= (pos n) (pos d))))))
; == The theorem: no turn of a packet leaves the rank as it is or lowers it, and no lane but 0 and 1 is used.
(declare-const x Node)
(declare-const y Node)
(declare-const z Node)
(declare-const d Node)
(declare-const c Node)
(declare-const fo Bool)
(declare-const fx Bool)
(declare-const fy Bool)
(declare-const lane1 Int)
(declare-const lane2 Int)
(assert (turn x y z d fx fy lane1 lane2))
(assert (not (and
    (=> (and (not (host x)) (hop x y fx d) (hop x y fo c)) (= fo fx))
    (=> (host x) (invariant y fx d lane1))
    (=> (invariant y fx d lane1) (and
      (=> (not (host z)) (and (invariant z fy d lane2) (<= 0 lane2 1)))
      (higher x y z fx fy lane1 lane2))))))
(check-sat)
