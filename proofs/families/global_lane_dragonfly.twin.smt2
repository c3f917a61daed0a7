; A dragonfly without the lane step on the hop between groups.
;
; The loop: three groups of two switches, one cable between each two groups; packet i goes local, global, local from group i to
; group i+1, and its last local link is the first one of packet i+1.
; pi_j is the j-th switch of packet i, vi_j its lane on the link that leaves that switch; hi and gi send and receive.
(set-info :status sat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun host (Node) Bool)
(declare-fun group (Node) Int)
(declare-fun gateway (Node Int) Bool)
(define-fun global ((s Node) (n Node)) Bool (distinct (group s) (group n)))
(define-fun hop ((s Node) (n Node) (t Node)) Bool (and
    (distinct s t) ; the switch of the destination delivers
    (=> (= (group s) (group t)) (= n t)) ; in its group: straight to it
    (=> (and (global s t) (gateway s (group t))) (= (group n) (group t))) ; from a gateway: over its cable
    (=> (and (global s t) (not (gateway s (group t)))) (gateway n (group t))) ; elsewhere: to a gateway
    (=> (and (global s t) (not (gateway s (group t)))) (= (group n) (group s))) ; of the own group
  ))
(define-fun turn ((x Node) (y Node) (z Node) (t Node) (lane1 Int) (lane2 Int)) Bool (and
    (not (host y)) ; hosts do not forward
    (=> (not (host x)) (hop x y t))
    (=> (not (host z)) (hop y z t))
    (=> (host x) (= lane1 0)) ; hosts send in lane 0
    (=> (host z) (= (group z) (group y))) ; a host is in the group of its switch
    (=> (not (global y z)) (= lane2 lane1)) ; elsewhere the lane stays
  ))
; == The loop
(declare-const p0_0 Node)
(declare-const p0_1 Node)
(declare-const p0_2 Node)
(declare-const p0_3 Node)
(declare-const p1_0 Node)
(declare-const p1_1 Node)
(declare-const p1_2 Node)
(declare-const p1_3 Node)
(declare-const p2_0 Node)
(declare-const p2_1 Node)
(declare-const p2_2 Node)
(declare-const p2_3 Node)
(declare-const h0 Node)
(declare-const g0 Node)
(declare-const h1 Node)
(declare-const g1 Node)
(declare-const h2 Node)
(declare-const g2 Node)
(declare-const v0_0 Int)
(declare-const v0_1 Int)
(declare-const v0_2 Int)
(declare-const v1_0 Int)
(declare-const v1_1 Int)
(declare-const v1_2 Int)
(declare-const v2_0 Int)
(declare-const v2_1 Int)
(declare-const v2_2 Int)
(assert (distinct p0_0 p0_1 p1_0 p1_1 p2_0 p2_1 h0 g0 h1 g1 h2 g2))
(assert (and (= p0_2 p1_0) (= p0_3 p1_1) (= v0_2 v1_0)))
(assert (and (= p1_2 p2_0) (= p1_3 p2_1) (= v1_2 v2_0)))
(assert (and (= p2_2 p0_0) (= p2_3 p0_1) (= v2_2 v0_0)))
(assert (distinct (group p0_0) (group p1_0) (group p2_0)))
(assert (not (or (host p0_0) (host p0_1) (host p1_0) (host p1_1) (host p2_0) (host p2_1))))
(assert (and (host h0) (host g0) (host h1) (host g1) (host h2) (host g2)))
(assert (and (= (group h0) (group p0_0)) (= (group h1) (group p1_0)) (= (group h2) (group p2_0))))
; a cable between groups goes both ways
(assert (and (gateway p0_2 (group p0_1)) (gateway p1_2 (group p1_1)) (gateway p2_2 (group p2_1))))
(assert (and (turn h0 p0_0 p0_1 p0_3 0 v0_0) (turn p0_0 p0_1 p0_2 p0_3 v0_0 v0_1)
  (turn p0_1 p0_2 p0_3 p0_3 v0_1 v0_2) (turn p0_2 p0_3 g0 p0_3 v0_2 v0_2)))
(assert (and (turn h1 p1_0 p1_1 p1_3 0 v1_0) (turn p1_0 p1_1 p1_2 p1_3 v1_0 v1_1)
  (turn p1_1 p1_2 p1_3 p1_3 v1_1 v1_2) (turn p1_2 p1_3 g1 p1_3 v1_2 v1_2)))
(assert (and (turn h2 p2_0 p2_1 p2_3 0 v2_0) (turn p2_0 p2_1 p2_2 p2_3 v2_0 v2_1)
  (turn p2_1 p2_2 p2_3 p2_3 v2_1 v2_2) (turn p2_2 p2_3 g2 p2_3 v2_2 v2_2)))
(check-sat)
