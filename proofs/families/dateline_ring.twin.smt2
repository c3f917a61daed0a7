; Dateline lanes on a ring without the dateline: the hop between the last place and the first need not change the lane.
;
; The loop: a ring of five; packet i enters at one switch, passes the next and leaves at the third, its shortest path.
; pi_j is the j-th switch of packet i, vi_j its lane on the link that leaves that switch; hi and gi send and receive.
(set-info :status sat)
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
    (=> (and (not (host z)) (not (crosses y fy))) (= lane2 lane1)) ; elsewhere the lane stays
  ))
; == The loop
(declare-const p0_0 Node)
(declare-const p0_1 Node)
(declare-const p0_2 Node)
(declare-const p1_0 Node)
(declare-const p1_1 Node)
(declare-const p1_2 Node)
(declare-const p2_0 Node)
(declare-const p2_1 Node)
(declare-const p2_2 Node)
(declare-const p3_0 Node)
(declare-const p3_1 Node)
(declare-const p3_2 Node)
(declare-const p4_0 Node)
(declare-const p4_1 Node)
(declare-const p4_2 Node)
(declare-const h0 Node)
(declare-const g0 Node)
(declare-const h1 Node)
(declare-const g1 Node)
(declare-const h2 Node)
(declare-const g2 Node)
(declare-const h3 Node)
(declare-const g3 Node)
(declare-const h4 Node)
(declare-const g4 Node)
(declare-const v0_0 Int)
(declare-const v0_1 Int)
(declare-const v1_0 Int)
(declare-const v1_1 Int)
(declare-const v2_0 Int)
(declare-const v2_1 Int)
(declare-const v3_0 Int)
(declare-const v3_1 Int)
(declare-const v4_0 Int)
(declare-const v4_1 Int)
(assert (distinct p0_0 p1_0 p2_0 p3_0 p4_0 h0 g0 h1 g1 h2 g2 h3 g3 h4 g4))
(assert (and (= p0_1 p1_0) (= p0_2 p2_0) (= v0_1 v1_0)))
(assert (and (= p1_1 p2_0) (= p1_2 p3_0) (= v1_1 v2_0)))
(assert (and (= p2_1 p3_0) (= p2_2 p4_0) (= v2_1 v3_0)))
(assert (and (= p3_1 p4_0) (= p3_2 p0_0) (= v3_1 v4_0)))
(assert (and (= p4_1 p0_0) (= p4_2 p1_0) (= v4_1 v0_0)))
(assert (not (or (host p0_0) (host p1_0) (host p2_0) (host p3_0) (host p4_0))))
(assert (and (host h0) (host g0) (host h1) (host g1) (host h2) (host g2) (host h3) (host g3) (host h4) (host g4)))
(assert (and (= (pos g0) (pos p0_2)) (= (pos g1) (pos p1_2)) (= (pos g2) (pos p2_2)) (= (pos g3) (pos p3_2)) (= (pos g4) (pos p4_2))))
(assert (and (turn h0 p0_0 p0_1 g0 true true 0 v0_0) (turn p0_0 p0_1 p0_2 g0 true true v0_0 v0_1)
  (turn p0_1 p0_2 g0 g0 true true v0_1 v0_1)))
(assert (and (turn h1 p1_0 p1_1 g1 true true 0 v1_0) (turn p1_0 p1_1 p1_2 g1 true true v1_0 v1_1)
  (turn p1_1 p1_2 g1 g1 true true v1_1 v1_1)))
(assert (and (turn h2 p2_0 p2_1 g2 true true 0 v2_0) (turn p2_0 p2_1 p2_2 g2 true true v2_0 v2_1)
  (turn p2_1 p2_2 g2 g2 true true v2_1 v2_1)))
(assert (and (turn h3 p3_0 p3_1 g3 true true 0 v3_0) (turn p3_0 p3_1 p3_2 g3 true true v3_0 v3_1)
  (turn p3_1 p3_2 g3 g3 true true v3_1 v3_1)))
(assert (and (turn h4 p4_0 p4_1 g4 true true 0 v4_0) (turn p4_0 p4_1 p4_2 g4 true true v4_0 v4_1)
  (turn p4_1 p4_2 g4 g4 true true v4_1 v4_1)))
(check-sat)
